"""A machine in develop mode without a machine: the image's layers, a writable one above them, a root to change things in. Needs root (mounts)."""

import contextlib
import os
import pathlib
import shutil
import tempfile

from checks import completed

NODES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}


def run(*command, **options):
    """Runs a command that must do what it is for; its output."""
    code, said, told = completed(*command, **options)
    if code:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {code}: {said[-2000:]}{told[-2000:]}")
    return said


class Machine:
    """`root` is what it sees, `upper` what was written there, `lowers` the folders of its layers, bottom first."""

    def __init__(self, place, layers):
        self.place, self.layers = pathlib.Path(place), layers
        self.root, self.upper = self.place / "root", self.place / "top/upper"
        self.lowers = [self.place / str(number) for number in range(len(layers))]
        self.mounts = []

    def mount(self, where, *words, **options):
        """Mounts something, and remembers it."""
        run("mount", *words, where, **options)
        self.mounts.append(where)

    def start(self):
        """Stacks the layers as the initrd does in develop mode, where dpkg may rename folders of the base."""
        for folder, layer in zip(self.lowers, self.layers):
            folder.mkdir()
            self.mount(folder, *(("--bind", layer) if layer.is_dir() else ("-t", "squashfs", "-o", "ro,loop", layer)))
        (self.place / "top").mkdir()
        self.mount(self.place / "top", "-t", "tmpfs", "-o", "size=1g", "top")
        for folder in (self.upper, self.place / "top/work", self.root):
            folder.mkdir()
        lower = ":".join(str(number) for number in reversed(range(len(self.layers))))
        self.mount(self.root, "-t", "overlay", "-o", f"lowerdir={lower},upperdir=top/upper,workdir=top/work,redirect_dir=on,index=off,metacopy=off,xino=off", "wow",
                   cwd=self.place)
        if (self.root / "dev").is_dir():
            self.mount(self.root / "dev", "-t", "tmpfs", "dev")
            for name, (major, minor) in NODES.items():
                os.mknod(self.root / "dev" / name, 0o20666, os.makedev(major, minor))
                (self.root / "dev" / name).chmod(0o666)
            self.mount(self.root / "proc", "-t", "proc", "proc")

    def stop(self):
        """Takes all of it down."""
        for where in reversed(self.mounts):
            run("umount", where)

    def run(self, *command, **options):
        """Runs a command in it."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", self.root, *command, env=environment, **options)

    def words(self):
        """The layers as the tools take them, bottom first."""
        return [self.upper, *self.lowers]

    def install(self, *debs):
        """Installs packages, as apt does."""
        for deb in debs:
            shutil.copy(deb, self.root / "tmp")
        self.run("dpkg", "--install", *(f"/tmp/{deb.name}" for deb in debs))


@contextlib.contextmanager
def machine(*layers):
    """A machine over these layers, bottom first: squashfs files or folders."""
    with tempfile.TemporaryDirectory(prefix="wow-developed-") as place:
        made = Machine(place, layers)
        try:
            made.start()
            yield made
        finally:
            made.stop()


def package(folder, name, files, version="1.0", scripts=None, fields="", conffiles=(), architecture="all"):
    """Makes a small Debian package."""
    tree = pathlib.Path(folder, f"tree-{name}-{version}")
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: Nobody <nobody@example.org>\n"
                                         f"Description: a package of a test\n{fields}")
    for script, text in (scripts or {}).items():
        place = tree / "DEBIAN" / script
        place.write_text(text)
        place.chmod(0o644 if script == "triggers" else 0o755)
    if conffiles:
        (tree / "DEBIAN/conffiles").write_text("".join(f"{path}\n" for path in conffiles))
    for path, data in {f"usr/share/doc/{name}/copyright": "License: MIT\n", **files}.items():
        place = tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data if isinstance(data, bytes) else data.encode())
        place.chmod(0o755 if "bin/" in path else 0o644)
    out = pathlib.Path(folder, f"{name}_{version}_{architecture}.deb")
    run("dpkg-deb", "--root-owner-group", "--build", tree, out)
    return out


UNIT = "[Unit]\nDescription=Sums\n[Service]\nExecStart=/usr/bin/wow-sum\n[Install]\nWantedBy=multi-user.target\n"


def packages(folder):
    """One with an account, one with a unit, one with an alternative and a trigger, one with a conffile and a library."""
    return [
        package(folder, "wow-account", {"usr/share/wow-account/x": "1\n"}, scripts={
            "postinst": "#!/bin/sh\nset -e\nuseradd --system --user-group --no-create-home --shell /usr/sbin/nologin wowsum\n"
                        "install -d -o wowsum -g wowsum -m 750 /var/lib/wowsum /var/log/wowsum\n"}),
        package(folder, "wow-unit", {"usr/bin/wow-sum": "#!/bin/sh\necho 2\n", "usr/lib/systemd/system/wow-sum.service": UNIT}, scripts={
            "postinst": "#!/bin/sh\nset -e\ndeb-systemd-helper enable wow-sum.service\n"}),
        package(folder, "wow-choice", {"usr/bin/wow-pager": "#!/bin/sh\ncat\n", "usr/share/wow-choice/y": ""}, scripts={
            "postinst": "#!/bin/sh\nset -e\nif [ \"$1\" = triggered ]; then ls /usr/share/wow-things > /var/lib/wow-choice-index; exit; fi\n"
                        "update-alternatives --install /usr/bin/pager pager /usr/bin/wow-pager 60\n"
                        "update-alternatives --install /usr/bin/summer summer /usr/bin/wow-pager 60\n",
            "triggers": "interest-noawait /usr/share/wow-things\n"}, fields="Depends: wow-unit\n"),
        package(folder, "wow-conf", {"etc/wow-conf.conf": "a = 1\n", "usr/share/wow-things/one": "1\n"}, conffiles=["/etc/wow-conf.conf"])]
