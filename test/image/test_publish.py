"""What a module may replace, whose its files are, and which modules go together: the tools, on layers that hold next to nothing."""

import contextlib
import hashlib
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

from test_module import GOOD, ROOT, publish

PUBLISH, STACK_LIST = ROOT / "appliance/layers/publish", ROOT / "appliance/image/stack-list"
ABOUT = {"sha256": "12" * 32, "date": "2026-01-02", "abi": "0badcafe", "architecture": "amd64", "python": "3.13", "glibc": [], "sonames": []}
PASSWD = "root:x:0:0:root:/root:/bin/sh\ncondor:x:101:103::/var/lib/condor:/bin/sh\n"
GROUP = "root:x:0:\ncondor:x:103:\nadm:x:4:\n"


def fill(folder, files):
    """Writes files into a folder; a name that ends in a slash is a folder, a text that begins with -> a link."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        elif isinstance(text, bytes):
            path.write_bytes(text)
        elif text.startswith("->"):
            path.symlink_to(text[2:])
        else:
            path.write_text(text)


def layer(file, files):
    """A layer of these files."""
    with tempfile.TemporaryDirectory() as tree:
        fill(pathlib.Path(tree), files)
        subprocess.run(["mksquashfs", tree, file, "-noappend", "-quiet", "-no-progress", "-all-root"], check=True, stdout=subprocess.DEVNULL)
    return file


class Stacks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.base = self.folder / "base"
        self.base.mkdir()
        layer(self.base / "base.squashfs", {"etc/passwd": PASSWD, "etc/group": GROUP, "usr/sbin/nft": "fence", "etc/ssh/sshd_config": "", "var/run": "->/run",
                                            "var/lib/condor/x": "", "usr/share/doc/x": ""})
        (self.base / "folders.txt").write_text("var/lib/condor m 755 101 103\n")
        self.node = layer(self.folder / "node.squashfs", {"usr/lib/systemd/system/wow-fence.service": "", "usr/lib/wow/base.json": json.dumps(ABOUT)})
        (self.folder / "about.json").write_text(json.dumps(ABOUT))

    def publish(self, files, more="", name="maths"):
        """Publishes a module of these files; the process that ended. more: what stands behind [module]'s usual lines."""
        recipe = self.folder / f"recipe-{name}"
        shutil.rmtree(recipe, ignore_errors=True)
        fill(recipe, {"module.ini": GOOD.replace("maths", name) + more, **{f"root/{path}": text for path, text in files.items()}})
        return subprocess.run([PUBLISH, "--base", self.base, "--node", self.node, "--about", self.folder / "about.json", recipe, "-o", self.file(name)],
                              capture_output=True, text=True, check=False)

    def file(self, name):
        return self.folder / f"{name}.squashfs"

    def published(self, files, more="", name="maths"):
        """{path: (mode and kind, UID/GID)} of the layer, and its manifest."""
        done = self.publish(files, more, name)
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = subprocess.run(["unsquashfs", "-lln", self.file(name)], check=True, capture_output=True, text=True).stdout
        rows = [line.split(maxsplit=5) for line in listed.splitlines()]
        manifest = subprocess.run(["unsquashfs", "-cat", self.file(name), f"usr/lib/wow/modules/{name}/manifest.json"], check=True, capture_output=True).stdout
        return {row[5].partition("squashfs-root/")[2]: (row[0], row[1]) for row in rows}, json.loads(manifest)

    def refused(self, files, more, *words):
        done = self.publish(files, more)
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in ("publish: ", "module.ini", *words):
            self.assertIn(word, done.stderr)
        self.assertFalse(self.file("maths").exists(), "it left a layer")


class Replacing(Stacks):
    def test_a_name_that_no_list_can_hold_is_named(self):
        for name in ('a"b', "a\\b", "a\nb", "a\udcff"):
            done = self.publish({f"usr/share/maths/{name}": ""})
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("rename it", done.stderr)

    def test_each_file_of_base_and_node_that_it_would_replace_is_named(self):
        files = {"usr/sbin/nft": "open", "usr/lib/systemd/system/wow-fence.service": "", "opt/maths": ""}
        self.refused(files, "", "/usr/sbin/nft of the base, /usr/lib/systemd/system/wow-fence.service of the node",
                     "override = /usr/sbin/nft /usr/lib/systemd/system/wow-fence.service")

    def test_what_the_recipe_names_may_be_replaced_and_the_manifest_says_so(self):
        files = {"usr/sbin/nft": "open", "etc/ssh/sshd_config": "x"}
        self.refused(files, "override = /usr/sbin/nft\n", "would replace /etc/ssh/sshd_config of the base. ")
        _, manifest = self.published(files, "override = /usr/sbin/nft /etc/ssh/sshd_config\n")
        self.assertEqual(manifest["override"], ["etc/ssh/sshd_config", "usr/sbin/nft"])

    def test_a_folder_beside_a_folder_replaces_nothing_and_one_over_a_link_or_a_file_does(self):
        self.published({"usr/sbin/sum": "", "etc/ssh/": ""})
        self.file("maths").unlink()
        self.refused({"var/run/x": ""}, "", "/var/run of the base")
        self.refused({"usr/sbin/nft/x": ""}, "", "/usr/sbin/nft of the base")
        self.refused({"usr/share/doc": "->/opt"}, "", "/usr/share/doc of the base")

    def test_a_path_that_the_module_has_not_is_no_override(self):
        self.refused({"opt/x": ""}, "override = /usr/sbin/nft\n", "override: /usr/sbin/nft", "no such file")

    def test_without_the_nodes_layer_nothing_is_published(self):
        self.node = self.folder / "absent.squashfs"
        done = self.publish({"opt/x": ""})
        self.assertIn("absent.squashfs: no such file; run `make image` first", done.stderr)

    def test_the_manifest_says_over_which_base_it_was_made(self):
        _, manifest = self.published({"opt/x": ""})
        self.assertEqual(manifest["base"], {"sha256": "12" * 32, "date": "2026-01-02", "abi": "0badcafe"})


    def test_a_place_that_cannot_be_written_is_told_in_a_line_and_a_layer_that_was_there_stays(self):
        full, files = self.folder / "full", {"opt/x": os.urandom(20000)}
        full.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "full", full], check=True)
        self.addCleanup(subprocess.run, ["umount", full], check=True)
        fill(full, {"maths.squashfs": "of before"})
        for place, says in ((full, "cannot be written: No space left on device; free some room there"),
                            (self.folder / "no", "cannot be written: No such file or directory; name another place with -o")):
            with mock.patch.object(self, "file", lambda name, place=place: place / f"{name}.squashfs"):
                done = self.publish(files)
            self.assertEqual((1, f"publish: {place}/maths.squashfs: {says}\n"), (done.returncode, done.stderr))
        self.assertEqual([("maths.squashfs", "of before")], [(path.name, path.read_text()) for path in full.iterdir()])

    def test_who_ends_it_is_told_so_in_a_line(self):
        said = io.StringIO()
        with mock.patch.object(publish, "published", side_effect=KeyboardInterrupt), mock.patch.object(sys, "argv", ["publish", "maths", "-o", "x", "--base", "base"]), \
                contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as caught:
            publish.main()
        self.assertEqual((130, "publish: ended by you; nothing was changed\n"), (caught.exception.code, said.getvalue()))


class Permissions(Stacks):
    def test_all_is_roots_but_what_the_recipe_and_the_base_say(self):
        held, manifest = self.published({"opt/data/a b": "", "opt/tool": "", "opt/link": "->tool", "var/lib/condor/maths": ""},
                                        "executable = opt/tool\n[statoverride]\n/opt/data = root adm 2770\n/opt/data/a b = condor condor 0640\n")
        self.assertEqual((held["opt/data"], held["opt/data/a b"]), (("drwxrws---", "0/4"), ("-rw-r-----", "101/103")))
        self.assertEqual((held["opt/tool"], held["opt"], held["opt/link -> tool"]), (("-rwxr-xr-x", "0/0"), ("drwxr-xr-x", "0/0"), ("lrwxrwxrwx", "0/0")))
        self.assertEqual(held["var/lib/condor"], ("drwxr-xr-x", "101/103"), "a folder of the base lost its owner")
        self.assertEqual(manifest["statoverride"], {"opt/data": "root adm 2770", "opt/data/a b": "condor condor 0640"})

    def test_what_lies_in_a_folder_of_programs_is_one(self):
        held, _ = self.published({"usr/local/bin/tool": "", "opt/sbin/x/data": "", "usr/share/bin": ""})
        self.assertEqual([held[path][0] for path in ("usr/local/bin/tool", "opt/sbin/x/data", "usr/share/bin")], ["-rwxr-xr-x", "-rw-r--r--", "-rw-r--r--"])

    def test_a_file_that_may_be_run_and_is_no_program_in_the_module_is_told(self):
        files = {"opt/tool": "", "opt/other": "", "usr/bin/x": ""}
        self.assertNotIn("note", self.publish(files).stdout)
        for path in files:
            (self.folder / "recipe-maths/root" / path).chmod(0o755)
        again = [PUBLISH, "--base", self.base, "--node", self.node, "--about", self.folder / "about.json", self.folder / "recipe-maths", "-o", self.file("maths")]
        said = subprocess.run(again, capture_output=True, text=True, check=True).stdout
        self.assertIn("note: opt/other, opt/tool: may be run", said)
        self.assertIn("executable = opt/other opt/tool\n", said)

    def test_users_and_groups_that_the_base_has_not_are_named(self):
        self.refused({"opt/x": ""}, "[statoverride]\n/opt/x = maths root 0640\n", "/opt/x", "the base has no user maths", "root, condor")
        self.refused({"opt/x": ""}, "[statoverride]\n/opt/x = root maths 0640\n", "the base has no group maths", "root, condor, adm")

    def test_paths_that_the_module_has_not_and_links_are_named(self):
        self.refused({"opt/x": ""}, "[statoverride]\n/opt/y = root root 0640\n", "/opt/y", "no such file or folder")
        self.refused({"opt/x": "", "opt/y": "->x"}, "[statoverride]\n/opt/y = root root 0640\n", "/opt/y", "is a link")

    def test_set_uid_and_set_gid_need_an_override(self):
        for mode, words in (("4755", "makes it set-uid"), ("6755", "makes it set-uid"), ("2755", "makes it set-gid")):
            self.refused({"opt/x": ""}, f"[statoverride]\n/opt/x = root condor {mode}\n", words, "add /opt/x to `override`")
        held, _ = self.published({"opt/x": ""}, "override = /opt/x\n[statoverride]\n/opt/x = root condor 4750\n")
        self.assertEqual(held["opt/x"], ("-rwsr-x---", "0/103"))

    def test_a_folder_of_the_base_changes_only_with_an_override(self):
        line = "[statoverride]\n/var/lib/condor = root root 0777\n"
        self.refused({"var/lib/condor/maths": ""}, line, "/var/lib/condor of the base")
        held, _ = self.published({"var/lib/condor/maths": ""}, f"override = /var/lib/condor\n{line}")
        self.assertEqual(held["var/lib/condor"], ("drwxrwxrwx", "0/0"))

    def test_capabilities_of_the_builders_files_do_not_get_in(self):
        done = self.publish({"opt/x": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        first = self.file("maths").read_bytes()
        recipe = self.folder / "recipe-maths"
        os.setxattr(recipe / "root/opt/x", "user.wow", b"1")
        subprocess.run([PUBLISH, "--base", self.base, "--node", self.node, "--about", self.folder / "about.json", recipe, "-o", self.file("maths")],
                       check=True, capture_output=True)
        self.assertEqual(first, self.file("maths").read_bytes())


class Lists(Stacks):
    def stack_list(self, *modules):
        words = [f"base={self.base / 'base.squashfs'}", f"node={self.node}", *(f"module={self.file(name)}" for name in modules)]
        return subprocess.run([STACK_LIST, *words], capture_output=True, text=True, check=False)

    def test_a_list_names_each_layer_by_its_content(self):
        self.published({"opt/x": ""})
        done = self.stack_list("maths")
        rows = [line.split() for line in done.stdout.splitlines()]
        digest = hashlib.sha256(self.file("maths").read_bytes()).hexdigest()
        self.assertEqual([row[:2] for row in rows[1:]], [["base", "base"], ["node", "node"], ["module", "maths"]])
        self.assertEqual(rows[3][2:], [f"maths-{digest[:12]}.squashfs", str(self.file("maths").stat().st_size), digest])

    def test_two_modules_with_one_file_are_named_and_make_no_list(self):
        self.published({"opt/one": "", "opt/both": "1"})
        self.published({"opt/two": "", "opt/both": "2"}, name="physics")
        done = self.stack_list("maths", "physics")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/opt/both: in the module physics, and in the module maths\n", done.stderr)
        for path in ("/opt/one", "/opt/two", "/opt:"):
            self.assertNotIn(path, done.stderr)

    def test_two_modules_may_differ_in_what_triggers_make_anew_of_both(self):
        made = ("usr/share/applications/mimeinfo.cache", "usr/share/mime/globs", "usr/share/mime/text/x-sums.xml")
        self.published({path: "1" for path in made})
        self.published({path: "2" for path in made}, name="physics")
        self.assertEqual(self.stack_list("maths", "physics").returncode, 0, "the glue has them, of what both brought")
        self.published({"usr/share/mime/packages/sums.xml": "2"}, name="physics")
        self.published({"usr/share/mime/packages/sums.xml": "1"})
        self.assertIn("/usr/share/mime/packages/sums.xml: in the module physics", self.stack_list("maths", "physics").stderr)

    def test_a_file_in_the_place_of_another_modules_folder_is_named_too(self):
        self.published({"opt/place/x": ""})
        self.published({"opt/place": ""}, name="physics")
        self.assertIn("/opt/place: in the module physics", self.stack_list("maths", "physics").stderr)
        self.assertIn("/opt/place: in the module maths", self.stack_list("physics", "maths").stderr)

    def test_the_upper_of_two_may_say_that_it_replaces_the_lower_ones(self):
        self.published({"opt/both": "1"})
        self.published({"opt/both": "2"}, "override = /opt/both\n", name="physics")
        self.assertEqual(self.stack_list("maths", "physics").returncode, 0)
        self.assertIn("/opt/both: in the module maths, and in the module physics", self.stack_list("physics", "maths").stderr)

    def test_a_module_that_was_made_over_another_base_is_named_where_it_hides_a_file(self):
        self.published({"opt/x": ""})
        layer(self.base / "base.squashfs", {"opt/x": "newer"})
        self.assertIn("/opt/x: in the module maths, and in the layer base", self.stack_list("maths").stderr)

    def test_what_is_no_layer_or_a_cut_one_is_named(self):
        self.file("maths").write_text("x")
        self.assertIn("maths.squashfs: ", self.stack_list("maths").stderr)
        self.published({"opt/x": os.urandom(200_000).hex()})
        data = self.file("maths").read_bytes()
        self.file("maths").write_bytes(data[:len(data) // 2])
        done = self.stack_list("maths")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("maths.squashfs: ", done.stderr)

    def test_two_modules_may_have_one_file_with_one_content(self):
        self.published({"opt/one": "", "opt/both": "1", "opt/link": "->both"})
        self.published({"opt/both": "1", "opt/link": "->both"}, name="physics")
        self.assertEqual(self.stack_list("maths", "physics").returncode, 0)

    def test_what_a_modules_files_need_decides_and_not_the_number_of_its_base(self):
        true = pathlib.Path("/bin/true").read_bytes()
        (self.folder / "about.json").write_text(json.dumps({**ABOUT, "abi": "11111111", "date": "2025-12-31"}))
        for files, words in (({"opt/x": ""}, ()),
                             ({"opt/x": true}, ("/opt/x of the module maths needs libc.so.6, which no layer has", "Publish the module anew over this base")),
                             ({"opt/x": true, "opt/libc.so.6": b"x"}, ()),
                             # A library that defines versions, and not those of the C library.
                             ({"opt/x": true, "opt/libc.so.6": self.library("libc.so.6")}, ("/opt/x of the module maths needs libc.so.6 with GLIBC_2.",)),
                             ({"usr/lib/python3.99/x.py": ""}, ("/usr/lib/python3.99/x.py of the module maths is for Python 3.99",)),
                             ({"opt/x.cpython-399-x86_64-linux-gnu.so": ""}, ("is for Python 3.99",)),
                             ({"usr/lib/python3.99/x.py": "", "usr/bin/python3.99": ""}, ())):
            with self.subTest(list(files)):
                self.published(files, "executable = opt/*\n")
                done = self.stack_list("maths")
                self.assertEqual(done.returncode, 1 if words else 0, done.stderr)
                self.assertEqual(bool(done.stdout), not words)
                for word in words:
                    self.assertIn(word, done.stderr)

    def library(self, soname):
        """Another library by that soname."""
        data = pathlib.Path("/usr/lib/x86_64-linux-gnu/libm.so.6").read_bytes()
        self.assertIn(b"libm.so.6\0", data)
        return data.replace(b"libm.so.6\0", f"{soname}\0".encode()).replace(b"GLIBC_2.34\0", b"GLIBC_9.34\0").replace(b"GLIBC_2.2.5\0", b"GLIBC_9.2.5\0")

    def test_a_module_for_other_processors_is_refused(self):
        for machine, name in ((183, "arm64"), (22, "ELF machine 22")):
            program = bytearray(pathlib.Path("/bin/true").read_bytes()[:64])
            program[18:20] = machine.to_bytes(2, "little")
            self.published({"opt/x": bytes(program)})
            done = self.stack_list("maths")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"the module maths is for {name}, and this base for amd64", done.stderr)
        self.published({"opt/x": pathlib.Path("/bin/true").read_bytes()})
        self.assertEqual(self.stack_list("maths").returncode, 0)

    def test_modules_that_require_or_conflict_with_others_say_so(self):
        self.published({"opt/x": ""}, "requires = physics\n")
        self.published({"opt/y": ""}, name="physics")
        self.assertIn("the module maths requires physics, which is not there", self.stack_list("maths").stderr)
        self.assertEqual(self.stack_list("maths", "physics").returncode, 0)
        self.published({"opt/x": ""}, "conflicts = physics\n")
        self.assertIn("the module maths conflicts with physics. Take one of them out", self.stack_list("maths", "physics").stderr)

    def test_a_node_that_does_not_know_its_base_takes_no_module(self):
        self.published({"opt/x": ""})
        layer(self.node, {"usr/bin/wow": ""})
        self.assertIn("make image makes one", self.stack_list("maths").stderr)


if __name__ == "__main__":
    unittest.main()
