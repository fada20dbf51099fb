"""What differs between an upper layer and those below it, and what of it is published: real overlays of small trees, without a machine."""

import contextlib
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

from developed import machine, run
from test_module import GOOD, ROOT
from test_publish import ABOUT, GROUP, PASSWD, fill

sys.path.append(str(ROOT / "appliance/layers"))

import archived  # noqa: E402,F401 # it knows where the library is

from wow.config import users  # noqa: E402
from wow.lib.errors import WowError  # noqa: E402
from wow.lib.verb import Given, UsageError  # noqa: E402
from wow.module import ask, places, publish, tell, tree  # noqa: E402
from wow.module.recipe import read  # noqa: E402

SHADOW = "root:*:20089:0:99999:7:::\ncondor:!:20089::::::\n"
BELOW = {
    "etc/passwd": PASSWD, "etc/group": GROUP, "etc/shadow": SHADOW, "etc/gshadow": "root:*::\ncondor:!::\nadm:*::\n", "etc/tool.conf": "a = 1\n",
    "usr/bin/tool": "one", "usr/lib/data/a": "a", "usr/lib/data/b": "b", "usr/lib/data/deep/c": "c", "usr/share/link": "->tool", "var/lib/dpkg/status": "",
    "var/log/old": "", "run/": ""}


class Uppers(unittest.TestCase):
    """A tree below, and a machine over it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lower = self.folder / "lower"
        fill(self.lower, BELOW)
        self.machine = machine(self.lower)
        self.made = self.machine.__enter__()
        self.addCleanup(self.machine.__exit__, None, None, None)
        self.root = self.made.root
        (self.folder / "module.ini").write_text(GOOD)

    def changes(self):
        """{path: how it changed} of what the upper says."""
        with tree.joined([str(self.made.upper), str(self.lower)]) as merged:
            return {one.path: one.kind for one in tree.changes([str(self.made.upper)], merged, str(self.lower))}

    def published(self, more="", out="maths.tar"):
        """Publishes it; (the archive, its manifest)."""
        (self.folder / "module.ini").write_text(GOOD + more)
        made = read(str(self.folder / "module.ini"))
        with publish.opened(str(self.made.upper), [str(self.lower)], made.override) as found:
            return self.folder / out, publish.write(found, made, ABOUT, str(self.folder / out))

    def refused(self, *words, more=""):
        with self.assertRaises(WowError) as caught:
            self.published(more)
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertEqual([path.name for path in self.folder.glob("maths*")], [], "it left an archive")


class Differences(Uppers):
    def test_nothing_written_is_nothing_changed(self):
        self.assertEqual(self.changes(), {})
        self.refused("nothing is to be published")

    def test_what_is_added_changed_and_deleted_is_told(self):
        fill(self.root, {"opt/new/x": "x"})
        (self.root / "usr/bin/tool").write_text("two")
        (self.root / "usr/lib/data/a").unlink()
        (self.root / "usr/lib/data/b").chmod(0o600)
        (self.root / "usr/share/link").unlink()
        (self.root / "usr/share/link").symlink_to("elsewhere")
        self.assertEqual(self.changes(), {
            "opt": "added", "opt/new": "added", "opt/new/x": "added", "usr/bin/tool": "changed", "usr/lib/data/a": "deleted", "usr/lib/data/b": "changed",
            "usr/share/link": "changed"})

    def test_a_file_that_was_copied_up_and_is_equal_is_no_change(self):
        os.utime(self.root / "usr/bin/tool")
        (self.root / "usr/lib/data/a").write_text("other")
        (self.root / "usr/lib/data/a").write_text("a")
        (self.root / "etc").chmod(0o700)
        (self.root / "etc").chmod(0o755)
        self.assertEqual(self.changes(), {"usr/bin/tool": "same", "usr/lib/data/a": "same"})

    def test_a_folder_that_was_made_anew_hides_all_that_was_in_it(self):
        run("rm", "-r", self.root / "usr/lib/data")
        fill(self.root, {"usr/lib/data/b": "b", "usr/lib/data/d": "d"})
        self.assertIn("trusted.overlay.opaque", os.listxattr(self.made.upper / "usr/lib/data"))
        self.assertEqual(self.changes(), {"usr/lib/data/a": "deleted", "usr/lib/data/deep": "deleted", "usr/lib/data/d": "added"})

    def test_a_folder_that_was_renamed_is_gone_here_and_new_there(self):
        os.rename(self.root / "usr/lib/data", self.root / "usr/lib/moved")
        self.assertIn("trusted.overlay.redirect", os.listxattr(self.made.upper / "usr/lib/moved"))
        added = {f"usr/lib/moved{rest}": "added" for rest in ("", "/a", "/b", "/deep", "/deep/c")}
        self.assertEqual(self.changes(), {"usr/lib/data": "deleted", **added})

    def test_a_folder_in_the_place_of_another_is_what_it_holds(self):
        fill(self.root, {"usr/lib/other/a": "A"})
        run("rm", "-r", self.root / "usr/lib/data")
        os.rename(self.root / "usr/lib/other", self.root / "usr/lib/data")
        self.assertEqual(self.changes(), {"usr/lib/data/a": "changed", "usr/lib/data/b": "deleted", "usr/lib/data/deep": "deleted"})

    def test_one_kind_in_the_place_of_another_is_told(self):
        (self.root / "usr/bin/tool").unlink()
        fill(self.root, {"usr/bin/tool/x": "", "usr/lib/new": "->data"})
        run("rm", "-r", self.root / "usr/lib/data")
        (self.root / "usr/lib/data").write_text("")
        self.assertEqual(self.changes(), {"usr/bin/tool": "changed", "usr/bin/tool/x": "added", "usr/lib/new": "added", "usr/lib/data": "changed"})

    def test_whatever_was_done_the_differences_make_the_lower_tree_the_merged_one(self):
        """Chance does things to files; the changes, done to a copy of the tree below, give what the kernel shows."""
        chance = random.Random(21)
        for _ in range(150):
            chosen = sorted(path for path in self.root.rglob("*") if path.is_relative_to(self.root / "usr"))
            path = chance.choice(chosen)
            what = chance.choice(("write", "remove", "folder", "rename", "mode", "link"))
            if what == "remove":
                run("rm", "-r", path)
            elif what == "mode":
                if not path.is_symlink():
                    path.chmod(chance.choice((0o700, 0o755, 0o644)))
            elif what == "rename":
                target = chance.choice(chosen).with_name(f"r{chance.randrange(9)}")
                if not target.exists() and not target.is_symlink() and not target.is_relative_to(path) and target.parent.is_dir():
                    os.rename(path, target)
            else:
                place = (path if path.is_dir() and not path.is_symlink() else path.parent) / f"n{chance.randrange(6)}"
                if place.is_symlink() or place.exists():
                    continue
                if what == "write":
                    place.write_text(str(chance.random()))
                elif what == "folder":
                    place.mkdir()
                else:
                    place.symlink_to("tool")
            if not (self.root / "usr").exists():
                fill(self.root, {"usr/x": "x"})
        copy = self.folder / "copy"
        run("cp", "-a", self.lower, copy)
        with tree.joined([str(self.made.upper), str(self.lower)]) as merged:
            for one in tree.changes([str(self.made.upper)], merged, str(self.lower)):
                place, source = copy / one.path, pathlib.Path(merged, one.path)
                if one.kind == tree.DELETED or (one.kind == tree.CHANGED and not (place.is_dir() and source.is_dir() and not source.is_symlink())):
                    run("rm", "-r", place)
                if one.kind in (tree.ADDED, tree.CHANGED):
                    run("cp", "-a", "--no-target-directory", "--attributes-only", source, place) if source.is_dir() and not source.is_symlink() and place.is_dir() \
                        else run("mkdir", place) if source.is_dir() and not source.is_symlink() else run("cp", "-a", source, place)
                    if source.is_dir() and not source.is_symlink():
                        place.chmod(source.stat().st_mode & 0o7777)
            self.assertEqual(subprocess.run(["diff", "-r", "--no-dereference", merged, copy], capture_output=True, text=True, check=False).stdout, "")
            listed = [sorted((path.relative_to(top).as_posix(), path.lstat().st_mode) for path in pathlib.Path(top).rglob("*")) for top in (merged, copy)]
            self.assertEqual(*listed)


class Publishing(Uppers):
    def test_the_same_content_is_the_same_archive_whenever_it_was_written(self):
        fill(self.root, {"opt/maths/b": "2", "opt/maths/a": "1", "opt/link": "->maths"})
        first = self.published()[0].read_bytes()
        run("rm", "-r", self.root / "opt")
        fill(self.root, {"opt/link": "->maths", "opt/maths/a": "1", "opt/maths/b": "2"})
        os.utime(self.root / "usr/bin/tool", (1, 1))
        self.assertEqual(self.published(out="second.tar")[0].read_bytes(), first)

    def test_the_manifest_says_what_it_is_and_over_what_it_was_made(self):
        fill(self.root, {"opt/maths": "2"})
        manifest = self.published("requires = physics\nconflicts = chemistry\n")[1]
        self.assertEqual((manifest["name"], manifest["architecture"], manifest["requires"], manifest["conflicts"]), ("maths", "all", ["physics"], ["chemistry"]))
        self.assertEqual(manifest["base"], {key: ABOUT[key] for key in ("sha256", "date", "abi")})
        self.assertEqual(list(manifest["files"]), ["opt/maths"])
        fill(self.root, {"opt/true": pathlib.Path("/bin/true").read_bytes()})
        self.assertEqual(self.published()[1]["architecture"], "amd64")

    def test_what_each_machine_or_boot_has_is_left_out(self):
        fill(self.root, {"opt/maths": "2", "var/log/new": "x", "var/cache/x": "", "run/x": "", "tmp/x": "", "root/.bash_history": "", "home/alice/.netrc": "", "etc/machine-id": "1",
                         "etc/ssh/ssh_host_rsa_key": "k", "etc/hosts": "h", "etc/ld.so.cache": "c", "opt/__pycache__/x.pyc": "", "etc/passwd-": "", "var/lib/wow/node.key": "k",
                         "etc/apt/sources.list.d/x.sources": "", "var/lib/apt/lists/x": ""})
        self.assertEqual(list(self.published()[1]["files"]), ["opt/maths"])

    def test_the_layers_own_files_are_kept_unless_it_is_said(self):
        (self.root / "usr/bin/tool").write_text("two")
        (self.root / "etc/tool.conf").unlink()
        self.refused("/usr/bin/tool is of the layers below: other content", "/etc/tool.conf is deleted here", "`override` of module.ini")
        manifest = self.published("override = /usr/bin/tool /etc/tool.conf\n")[1]
        self.assertEqual((list(manifest["files"]), manifest["deleted"]), (["usr/bin/tool"], ["etc/tool.conf"]))

    def test_an_override_of_what_is_no_change_is_told(self):
        fill(self.root, {"opt/maths": "2"})
        self.refused("override: /usr/bin/tool: the module has no such file", more="override = /usr/bin/tool\n")

    def test_base_folders_that_a_module_never_holds_are_refused(self):
        fill(self.root, {"boot/vmlinuz": "", "usr/lib/modules/6/x.ko": ""})
        self.refused("/boot/vmlinuz the kernel comes with the base", "/usr/lib/modules/6/x.ko the kernel's drivers")

    def test_secrets_are_found_by_name_and_by_content_and_named(self):
        key = "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nxx\n"
        for path, text, what in (("opt/.netrc", "", "passwords"), ("opt/.bash_history", "ls", "a shell's history"), ("srv/.ssh/config", "", "ssh's keys"),
                                 ("opt/site.pem", key, "a private key"), ("etc/ssl/private/x.key", key.replace("OPENSSH", "RSA"), "a private key"),
                                 ("opt/backup", "# age\nAGE-SECRET-" + "KEY-1QQQ\n", "a private key"), ("opt/id_ed25519", "x", "an ssh key")):
            with self.subTest(path):
                fill(self.root, {path: text})
                self.refused(f"/{path} looks like {what}", "move it to your home")
                (self.root / path).unlink()

    def test_device_nodes_pipes_and_rights_are_refused(self):
        fill(self.root, {"opt/su": "", "opt/sg": "", "opt/cap": ""})
        os.mknod(self.root / "opt/disk", 0o60600, os.makedev(8, 0))
        os.mkfifo(self.root / "opt/pipe")
        (self.root / "opt/link").symlink_to("x\ny")
        (self.root / "opt/su").chmod(0o4755)
        (self.root / "opt/sg").chmod(0o2755)
        # cap_net_raw, effective: struct vfs_cap_data of linux/capability.h.
        os.setxattr(self.root / "opt/cap", "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))
        self.refused("/opt/disk is a device", "/opt/pipe is a pipe", "/opt/su is set-uid of user 0", "/opt/sg is set-gid of group 0", "/opt/cap has a capability",
                     "/opt/link leads to a name with a quotation mark")
        for name in ("disk", "pipe", "link"):
            (self.root / "opt" / name).unlink()
        archive, manifest = self.published("override = /opt/su /opt/sg /opt/cap\n")
        self.assertEqual(manifest["override"], ["opt/cap", "opt/sg", "opt/su"])
        with tarfile.open(archive) as source:
            rights = {entry.name: entry.pax_headers.get("WOW.capability") for entry in source}
        self.assertEqual((rights["opt/cap"], rights["opt/su"]), ("0100000200200000000000000000000000000000", None))

    def owned(self, **owners):
        """A file of each of these users and groups, in a folder that is theirs, too."""
        for name, (user, group) in owners.items():
            fill(self.root, {f"opt/{name}/x": "x", f"opt/{name}/link": "->x"})
            for place in (f"opt/{name}", f"opt/{name}/x", f"opt/{name}/link"):
                os.chown(self.root / place, user, group, follow_symlinks=False)

    def test_files_of_people_of_jobs_and_of_nobody_are_refused_with_what_to_type(self):
        self.owned(person=(1000, 1000), job=(2001, 0), nobody=(0, 777), own=(0, 0))
        self.refused("/opt/person belongs to user 1000 and group 1000, no account of", "/opt/job/x belongs to user 2001, no account of",
                     "/opt/nobody/link belongs to group 777, no account of", "Type: chown -R root:root /opt/nobody/link", more="override = /opt/person/x\n")
        for name in ("person", "job", "nobody"):
            run("chown", "-R", "root:root", self.root / "opt" / name)
        self.assertEqual(self.published()[1]["owners"], {"passwd": {}, "group": {}})

    def test_of_many_files_of_a_person_the_first_are_named_and_the_rest_counted(self):
        for number in range(30):
            fill(self.root, {f"opt/{number:02}": "x"})
            os.chown(self.root / f"opt/{number:02}", 1000, 1000)
        self.refused("/opt/19 belongs to", "and 10 more: wow module diff")
        fill(self.root, {"var/log/sums/": ""})
        os.chown(self.root / "var/log/sums", 2001, 2001)
        with publish.opened(str(self.made.upper), [str(self.lower)], []) as found:
            lines = tell.lines(found)
        self.assertEqual((31, True), (sum(" belongs to user " in line for line in lines), "31 must be seen to" in lines[-1]), lines)

    def test_files_of_an_account_below_and_of_one_that_the_module_makes_are_published(self):
        for name, line in (("passwd", "sums:x:110:111::/:/x\n"), ("group", "sums:x:111:\n"), ("shadow", "sums:!:1::::::\n"), ("gshadow", "sums:!::\n")):
            (self.root / "etc" / name).write_text(BELOW[f"etc/{name}"] + line)
        self.owned(sums=(110, 111), batch=(101, 103))
        archive, manifest = self.published()
        self.assertEqual(manifest["owners"], {"passwd": {"condor": 101}, "group": {"condor": 103}})
        with tarfile.open(archive) as source:
            self.assertEqual({(one.uid, one.gid) for one in source if one.name.startswith("opt/")}, {(110, 111), (101, 103)})

    def test_an_account_of_a_person_s_kind_is_refused_and_a_person_s_is_left_out(self):
        (self.root / "etc/passwd").write_text(f"{PASSWD}alice:x:1000:1000::/home/alice:/bin/bash\nsvc:x:1001:1001::/home/svc:/bin/bash\n")
        self.owned(maths=(0, 0))
        with publish.opened(str(self.made.upper), [str(self.lower)], [], people={"alice": 1000}) as found:
            self.assertEqual(["/etc/passwd: the user svc has number 1001"], [line.partition(",")[0] for line in found.wrong])
        (self.folder / "users").write_text("alice 1000\n")
        said = run(ROOT / "appliance/layers/upper", "diff", *self.made.words(), "--people", self.folder / "users")
        self.assertEqual((False, True), ("alice" in said, "1 must be seen to" in said), said)

    def test_a_file_with_holes_that_is_too_large_is_refused_before_it_is_read(self):
        with (self.root / "huge").open("wb") as file:
            file.truncate(places.MOST_BYTES + 1)
        self.refused("are more than a module may hold", "A file with holes counts whole")

    def test_what_is_for_a_recipe_on_the_building_machine_is_refused(self):
        self.refused("executable and [statoverride] are for files", more="executable = opt/x\n")
        self.refused("packages and build-packages are for a recipe on the building machine", more="packages = bc\n")

    def test_a_disk_without_room_leaves_no_archive_and_says_so(self):
        fill(self.root, {"opt/maths": os.urandom(300_000)})
        full = self.folder / "full"
        full.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=100k", "full", full)
        self.addCleanup(run, "umount", full)
        with self.assertRaises(WowError) as caught:
            self.published(out="full/maths.tar")
        self.assertIn("cannot be written: No space left on device. Free some room there", str(caught.exception))
        self.assertEqual(list(full.iterdir()), [])

    def test_diff_tells_each_entry_with_its_reason(self):
        fill(self.root, {"opt/maths": "2", "tmp/x": "", "boot/x": ""})
        os.utime(self.root / "usr/bin/tool")
        with publish.opened(str(self.made.upper), [str(self.lower)], []) as found:
            lines = tell.lines(found)
        self.assertIn("+ /opt/maths: kept: a new file", lines)
        self.assertIn("+ /tmp/x: dropped: is gone at the next start", lines)
        self.assertIn("= /usr/bin/tool: dropped: copied up, and equal to the one below", lines)
        self.assertTrue(lines[0].startswith("+ /boot"), "what is in the way comes first")
        self.assertRegex(lines[-1], "2 must be seen to before it can be published")

    def test_the_tool_does_the_same_without_a_machine(self):
        fill(self.root, {"opt/maths": "2"})
        (self.folder / "about.json").write_text(json.dumps(ABOUT))
        tool = ROOT / "appliance/layers/upper"
        self.assertIn("+ /opt/maths: kept: a new file", run(tool, "diff", *self.made.words()))
        run(tool, "publish", *self.made.words(), "--module", self.folder / "module.ini", "--about", self.folder / "about.json", "-o", self.folder / "tool.tar")
        self.assertEqual((self.folder / "tool.tar").read_bytes(), self.published()[0].read_bytes())


class Asked(Uppers):
    """`wow module diff` and `wow module publish`, with folders in the place of those that the initrd leaves."""

    def setUp(self):
        super().setUp()
        fill(self.root, {"opt/maths": "2"})
        self.run_folder, layers = self.folder / "develop", self.folder / "layers"
        fill(self.folder, {"develop/about.json": json.dumps({"name": "maths", "base": ABOUT, "stack": [], "started": "2026-01-02"}), "layers/sys/": "",
                           "develop/upper": f"->{self.made.upper}", "layers/0": f"->{self.lower}"})
        for place, name, value in ((ask, "DEVELOP", self.run_folder), (ask, "LAYERS", layers), (users, "NUMBERS", self.folder / "users")):
            patched = mock.patch.object(place, name, str(value))
            patched.start()
            self.addCleanup(patched.stop)

    def asked(self, *words, **options):
        """What it prints."""
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(ask.run(Given(list(words), {f"--{name}": value for name, value in options.items()})), 0)
        return out.getvalue()

    def fails(self, error, *words):
        with self.assertRaises(error) as caught:
            ask.run(Given(list(words), {}))
        return str(caught.exception)

    def test_diff_tells_people_and_programs(self):
        self.assertIn("+ /opt/maths: kept: a new file\n", self.asked("diff"))
        said = json.loads(self.asked("diff", json=""))
        self.assertIn({"path": "/opt/maths", "change": "added", "fate": "kept", "why": "a new file"}, said["entries"])
        (self.root / "usr/bin/tool").write_text("two")
        (self.folder / "module.ini").write_text(f"{GOOD}override = /usr/bin/tool\n")
        self.assertIn("must be seen to", self.asked("diff"))
        self.assertIn("nothing is in the way", self.asked("diff", str(self.folder / "module.ini")))

    def test_people_of_the_machine_are_no_accounts_of_the_module(self):
        (self.root / "etc/passwd").write_text(f"{PASSWD}alice:x:1000:1000::/home/alice:/bin/bash\n")
        self.assertIn("the user alice has number 1000", self.asked("diff"))
        (self.folder / "users").write_text("alice 1000\n")
        self.assertIn("nothing is in the way", self.asked("diff"))
        self.asked("publish", str(self.folder / "module.ini"), out=str(self.folder / "out.tar"))

    def test_publish_writes_the_archive_and_says_where_it_goes(self):
        out = self.folder / "out.tar"
        said = self.asked("publish", str(self.folder / "module.ini"), out=str(out))
        self.assertIn(f"{out}: maths 1.0, ", said)
        self.assertIn("modules/maths.tar", said)
        self.assertEqual(out.read_bytes(), self.published()[0].read_bytes())
        self.assertEqual(json.loads(self.asked("publish", str(self.folder / "module.ini"), out=str(out), json=""))["manifest"]["name"], "maths")

    def test_what_is_wrong_is_told_with_what_to_do(self):
        (self.folder / "module.ini").write_text(GOOD.replace("maths", "physics"))
        self.assertIn("name = physics, but this machine develops maths", self.fails(WowError, "publish", str(self.folder / "module.ini")))
        self.assertIn("no such file", self.fails(WowError, "publish", "absent.ini"))
        self.fails(UsageError, "publish")
        self.fails(UsageError, "diff", "one", "two")
        with mock.patch.object(os, "geteuid", lambda: 1000):
            self.assertIn("only root sees the whole module", self.fails(WowError, "diff"))
        (self.run_folder / "about.json").unlink()
        self.assertIn("does not develop a module. Start it so: wow module develop NAME", self.fails(WowError, "diff"))

    def test_layers_are_those_with_numbers_the_highest_on_top(self):
        for number in (2, 10):
            (self.folder / "layers" / str(number)).mkdir()
        self.assertEqual([path.rpartition("/")[2] for path in ask.lowers(ask.LAYERS)], ["10", "2", "0"])


if __name__ == "__main__":
    unittest.main()
