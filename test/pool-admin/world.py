"""A clone with a small image, in which `wow pool` works as in a real one: its wow-ca is the one that ships."""

import atexit
import contextlib
import functools
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "appliance"))

from pool import cli, here, place  # noqa: E402
from pool.clone import Clone  # noqa: E402
from pool.formats import ovf  # noqa: E402

from archive import Archive  # noqa: E402 # appliance/image/formats

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOCR/GxUJ33Coe4FJcgqH1wuCnNIJYPag/FGOPqdgl9O alice@home"
ENDS = (".ova", ".qcow2", "-config.img", "-config.iso")
ALONE = (".vhdx", ".ps1")
"""What volunteers and scientists get beside these."""
FILES = {f"for-{place}/{stem}{end}" for place, stem in (("manager", "science-manager"), ("volunteers", "science")) for end in ENDS}
FILES |= {f"for-volunteers/science{end}" for end in ALONE}
ARM = {f"for-volunteers/science-arm64{end}" for end in (".qcow2", ".utm.zip")}
LOGIN = {f"for-scientists/science-login{end}" for end in (*ENDS, *ALONE)}


@functools.cache
def wow_ca():
    """The program that ships; it is made if it is not there or is stale."""
    subprocess.run([ROOT / "appliance/image/programs"], check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build/image/programs/ca/wow-ca"


class World:
    """A folder with an image of `release` (the clone's, if none is named) in `out`, where pools are made; alice.pub is a key."""

    def __init__(self, test, folder=None):
        made = tempfile.TemporaryDirectory()
        test.addCleanup(made.cleanup)
        # Every name has an address that everybody reaches; what a resolver says of one is no matter of most tests.
        names = mock.patch.object(place, "look_up", lambda host: ["8.8.4.4"])
        names.start()
        test.addCleanup(names.stop)
        self.home = pathlib.Path(folder or made.name, "pools")
        self.home.mkdir()
        self.out = pathlib.Path(made.name, "out")
        self.out.mkdir()
        self.arm_out = pathlib.Path(made.name, "arm64")
        self.clone = Clone(out=self.out, arm_out=self.arm_out, wow_ca=wow_ca(), builder="/bin/false")
        self.make_image()
        self.key = pathlib.Path(made.name, "alice.pub")
        self.key.write_text(KEY + "\n", encoding="ascii")
        self.pool = self.home / "science"

    def make_image(self, release=None, content=b"the system"):
        """An OVA and a qcow2 with little in them, formed as those of a build."""
        values = {"VERSION": release or self.clone.release, "VENDOR": "us", "URLS": "", "SYSTEM_SIZE": len(content), "SYSTEM_CAPACITY": 1, "HOME_SIZE": 1, "HOME_CAPACITY": 1,
                  "CONFIG_SIZE": 1, "CONFIG_CAPACITY": 1}
        parts = {ovf.NAME: ovf.render(values).encode(), ovf.MANIFEST: b"", ovf.SYSTEM: content, ovf.HOME: b"-", ovf.CONFIG: b"-"}
        with Archive(self.out / "wow-amd64.ova") as archive:
            for name, data in parts.items():
                archive.add_bytes(name, data)
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", self.out / "wow-amd64.qcow2", "1M"], check=True)
        shutil.copyfile(_disk(), self.out / "wow-amd64.vhdx")
        (self.out / "wow-amd64.ps1").write_text("New-VM\n", encoding="ascii")
        sums = "".join(f"{ovf.digest_of(self.out / name)}  {name}\n" for name in ("wow-amd64.ova", "wow-amd64.qcow2", "wow-amd64.vhdx", "wow-amd64.ps1"))
        (self.out / "SHA256SUMS").write_text(sums, encoding="ascii")

    def make_arm(self, release=None):
        """The files for arm64, formed as those of a build: the disk has partitions and nothing in them."""
        names = ("wow-arm64.qcow2", "wow-arm64.utm/Data/wow.qcow2", "wow-arm64.utm/config.plist", "wow.spdx.json")
        (self.arm_out / "wow-arm64.utm/Data").mkdir(parents=True, exist_ok=True)
        for name in names[:2]:
            subprocess.run(["qemu-img", "convert", "-O", "qcow2", _disk(), self.arm_out / name], check=True)
        (self.arm_out / names[2]).write_text("<plist/>\n", encoding="ascii")
        (self.arm_out / names[3]).write_text(json.dumps({"packages": [{"name": "wow-image", "versionInfo": release or self.clone.release}]}), encoding="ascii")
        sums = "".join(f"{ovf.digest_of(self.arm_out / name)}  {name}\n" for name in names)
        (self.arm_out / "SHA256SUMS").write_text(sums, encoding="ascii")

    def run(self, *words, reached=lambda name: None, typed=""):
        """(exit code, standard output, standard error) of `wow pool` with these words, in the folder of pools."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.home), _stdin(typed):
            code = cli.main([str(word) for word in words], self.clone, out, err, reached)
        return code, out.getvalue(), err.getvalue()

    @property
    def typed(self):
        """`wow pool` as it is typed there."""
        with contextlib.chdir(self.home):
            return here.typed()

    def does(self, *words):
        """The same, which must succeed; its standard output."""
        code, out, err = self.run(*words)
        if code:
            raise AssertionError(f"{words} ended with {code}: {err}")
        return out

    def create(self, *more, **how):
        """`wow pool create science` with what it needs at least."""
        return self.run("create", "science", "--at", "manager.example.org", *more, **how)

    def made(self, *more):
        """The same, which must succeed; what it printed as JSON."""
        code, out, err = self.create("--json", *more)
        if code:
            raise AssertionError(err)
        return json.loads(out)

    def copied(self):
        """The same with the user alice, from one that was made before, which is quicker. Its START.md names another folder."""
        home, told = _one_made()
        for name in ("out", "pools"):
            shutil.copytree(home / name, self.out.parent / name, dirs_exist_ok=True)
        return dict(told)

    def text(self, name):
        """A file of the pool."""
        return (self.pool / name).read_text(encoding="utf-8")

    def ca(self):
        """What wow-ca knows of the pool's CA."""
        done = subprocess.run([wow_ca(), "list", "--state", self.pool / "manager/ca", "--json"], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def names(self):
        """The pool's files, but for the lock."""
        return {str(path.relative_to(self.pool)) for path in self.pool.rglob("*") if path.is_file()} - {".lock"}

    def conf(self, disk):
        """pool.conf on a configuration disk."""
        return subprocess.run(["mcopy", "-n", "-i", self.pool / disk, "::/pool.conf", "-"], check=True, capture_output=True, text=True).stdout


@functools.cache
def _disk():
    """A VHDX with the partitions of a build's, and nothing in them."""
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    raw, disk = folder / "raw", folder / "wow.vhdx"
    with open(raw, "wb") as file:
        file.truncate(24 << 20)
    table = "label: gpt\n" + "".join(f"size={size}, name={name}\n" for name, size in (("WOWESP", "1MiB"), ("WOWSYS", "1MiB"), ("WOWCFG", "16MiB"), ("WOWHOME", "2MiB")))
    subprocess.run(["sfdisk", "-q", raw], input=table, check=True, text=True)
    subprocess.run(["qemu-img", "convert", "-O", "vhdx", "-o", "subformat=dynamic,block_size=1M", raw, disk], check=True)
    return disk


@functools.cache
def _one_made():
    """(its folder, what it printed) of a pool that all tests copy."""
    maker = unittest.TestCase()
    atexit.register(maker.doCleanups)
    world = World(maker)
    return world.out.parent, world.made("--user", f"alice={world.key}")


@contextlib.contextmanager
def _stdin(text):
    kept, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = kept


def identity(world):
    """What must never change once it is there: {file: bytes} of the secret and the CA's and the manager's keys."""
    return {name: (world.pool / name).read_bytes() for name in ("secret", "manager/ca/ca.key", "manager/ca/ca.pem", "manager/node.key")
            if (world.pool / name).exists()}


def whole(test, world, names):
    """Asserts that a pool is what one run makes: one CA, one manager, one living ticket, and these files."""
    told = world.ca()
    test.assertEqual(["manager"], [row["host"] for row in told["certificates"] if row["status"] == "valid"])
    (kept,) = json.loads(world.text("tickets.json"))
    test.assertEqual([kept["id"]], [ticket["id"] for ticket in told["tickets"] if not ended(ticket)])
    test.assertEqual(names, world.names())
    test.assertTrue(told["audit_whole"])
    test.assertIn(kept["ticket"], world.conf("for-volunteers/science-config.img"))
    test.assertIn(world.text("secret").strip(), world.conf("for-manager/science-manager-config.img"))
    test.assertEqual(0o700, os.stat(world.pool).st_mode & 0o777)


def ended(ticket):
    """Whether a ticket admits nobody any more: its end is earlier than the day that the tests name."""
    return not ticket["not_after"].startswith("2099-01-01")
