"""Archives of modules that come from anybody: what publish makes a layer of, and what it refuses."""

import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import unittest

from developed import run
from test_module import ROOT
from test_publish import ABOUT, Stacks, layer

sys.path.append(str(ROOT / "appliance/layers"))

import checked  # noqa: E402
import gates  # noqa: E402
import listing  # noqa: E402
import moved  # noqa: E402

MANIFEST = {"name": "maths", "version": "1.0", "description": "Sums", "licence": "MIT", "architecture": "all", "requires": [], "conflicts": [], "override": [],
            "deleted": [], "units": [], "packages": {}, "files": {}, "statoverride": {}, "base": {key: ABOUT[key] for key in ("sha256", "date", "abi")}}
OWN = "usr/lib/wow/modules/maths"
FORGED = "x\ndrwxr-xr-x 0/0   3 2025-01-01 00:00 squashfs-root/usr/sbin"
"""Where a link leads that looks like a folder's line where layers are listed."""
EMPTY = {"packages": {}, "extended_states": {}, "diversions": [], "triggers": {}, "lines": {}, "accounts": {}, "alternatives": [], "chosen": {}}


def stanza(name, status="install ok installed"):
    return f"Package: {name}\nStatus: {status}\nVersion: 1.0"


class Archives(Stacks):
    """Archives that are written by hand."""

    def write(self, *entries, manifest=None, fragments="{}", cut=None):
        """entries: (path, type, content or link, other fields). Their folders come before them."""
        texts = [(f"{OWN}/manifest.json", tarfile.REGTYPE, json.dumps(manifest or MANIFEST), {}), (f"{OWN}/fragments.json", tarfile.REGTYPE, fragments, {})]
        archive, known = self.folder / "maths.tar", set()
        with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as file:
            for path, kind, content, fields in [*texts, *entries]:
                for parent in reversed(pathlib.PurePosixPath(path).parents):
                    if str(parent) not in ("/", ".", "..", *known):
                        known.add(str(parent))
                        folder = tarfile.TarInfo(str(parent))
                        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
                        file.addfile(folder)
                entry = tarfile.TarInfo(path)
                entry.type, entry.mode = kind, 0o644
                for name, value in fields.items():
                    setattr(entry, name, value)
                if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                    entry.linkname = content
                data = content.encode() if kind == tarfile.REGTYPE else b""
                entry.size = fields.get("size", len(data))
                file.addfile(entry, io.BytesIO(data + bytes(max(0, entry.size - len(data)) if entry.size < 1 << 20 else 0)) if entry.size < 1 << 20 else None)
        if cut is not None:
            archive.write_bytes(archive.read_bytes()[:cut])
        return archive

    def make(self, archive, out=None):
        return subprocess.run([ROOT / "appliance/layers/publish", "--base", self.base, "--node", self.node, archive, "-o", out or self.file("maths")],
                              capture_output=True, text=True, check=False)

    def refused_one(self, *words, archive, out=None):
        done = self.make(archive, out)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for word in ("publish: ", *words):
            self.assertIn(word, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(self.file("maths").exists(), "it left a layer")

    def file_entry(self, path, **fields):
        return (path, tarfile.REGTYPE, "x", fields)

    def test_a_layer_has_the_archives_owners_modes_links_and_deletions(self):
        manifest = {**MANIFEST, "override": ["usr/sbin/nft"], "deleted": ["usr/sbin/nft"]}
        archive = self.write(self.file_entry("opt/x", mode=0o640, uid=101, gid=103), ("opt/link", tarfile.SYMTYPE, "/etc/shadow", {}),
                             ("usr/sbin/nft", tarfile.CHRTYPE, "", {"mode": 0}), manifest=manifest)
        first = self.make(archive)
        self.assertEqual(first.returncode, 0, first.stderr)
        listed = run("unsquashfs", "-lln", self.file("maths"))
        for line in ("-rw-r----- 101/103", "/opt/link -> /etc/shadow", "c--------- 0/0"):
            self.assertIn(line, listed)
        digest = hashlib.sha256(self.file("maths").read_bytes()).hexdigest()
        self.assertIn(digest, first.stdout)
        self.assertEqual(self.make(archive).stdout, first.stdout)

    def test_paths_that_lead_out_are_refused(self):
        for path in ("../etc/x", "/etc/x", "opt/../../x", "./opt/x", "opt//x"):
            with self.subTest(path):
                self.refused_one("leads out of the module", archive=self.write((path, tarfile.REGTYPE, "x", {})))

    def test_a_file_behind_a_link_is_refused(self):
        self.refused_one("/opt/out: stands twice, or in no folder", archive=self.write(("opt/out", tarfile.SYMTYPE, "/etc", {}), self.file_entry("opt/out/x")))

    def test_one_path_twice_is_refused(self):
        self.refused_one("/opt/x: stands twice", archive=self.write(self.file_entry("opt/x"), self.file_entry("opt/x")))

    def test_device_nodes_hard_links_and_pipes_are_refused(self):
        for kind, fields in ((tarfile.BLKTYPE, {"devmajor": 8}), (tarfile.CHRTYPE, {"devmajor": 1, "devminor": 3}), (tarfile.FIFOTYPE, {}), (tarfile.LNKTYPE, {})):
            with self.subTest(kind):
                self.refused_one("/opt/x: neither file nor folder nor link", archive=self.write(("opt/x", kind, OWN, fields)))

    def test_set_uid_that_no_override_names_is_refused(self):
        self.refused_one("/opt/x: set-uid, set-gid or", archive=self.write(self.file_entry("opt/x", mode=0o4755)))
        done = self.make(self.write(self.file_entry("opt/x", mode=0o4755), manifest={**MANIFEST, "override": ["opt/x"]}))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_capability_is_kept_where_override_names_it_and_refused_where_it_is_none(self):
        rights = "0100000200200000000000000000000000000000"
        kept = self.file_entry("opt/x", pax_headers={"WOW.capability": rights})
        self.refused_one("/opt/x: set-uid, set-gid or with capabilities, and not in `override`", archive=self.write(kept))
        named = {**MANIFEST, "override": ["opt/x"]}
        for wrong in ("x", "", rights[:-2], rights + "00000000", "01000003" + rights[8:], rights.replace("02", "01", 1)):
            entry = self.file_entry("opt/x", pax_headers={"WOW.capability": wrong})
            self.refused_one("/opt/x: has capabilities that are none", archive=self.write(entry, manifest=named))
        done = self.make(self.write(kept, self.file_entry("opt/plain"), manifest=named))
        self.assertEqual(done.returncode, 0, done.stderr)
        run("unsquashfs", "-quiet", "-no-progress", "-dest", self.folder / "made", self.file("maths"))
        self.assertEqual(os.getxattr(self.folder / "made/opt/x", "security.capability").hex(), rights)
        self.assertEqual(os.listxattr(self.folder / "made/opt/plain"), [])

    def test_digests_of_files_below_are_digests(self):
        for wrong in ({"etc/x": "x"}, {"opt/x": "0" * 64}, {"etc/../x": "0" * 64}, ["etc/x"], {"etc/x": None}):
            with self.subTest(wrong):
                self.refused_one("a key is missing or not of its kind", archive=self.write(self.file_entry("opt/x"), manifest={**MANIFEST, "was": wrong}))

    def test_what_no_module_may_hold_is_refused(self):
        for path in ("boot/vmlinuz", "etc/shadow", "var/lib/dpkg/status", "home/alice/x", "etc/ssh/ssh_host_rsa_key", "bin/x"):
            with self.subTest(path):
                self.refused_one(f"/{path}: a module may not hold it", archive=self.write(self.file_entry(path)))

    def test_what_it_would_hide_of_base_and_node_is_named(self):
        self.refused_one("/usr/sbin/nft of the base", archive=self.write(self.file_entry("usr/sbin/nft")))
        self.refused_one("/usr/lib/systemd/system/wow-fence.service of the node", archive=self.write(self.file_entry("usr/lib/systemd/system/wow-fence.service")))
        self.refused_one("/usr/sbin/nft of the base", archive=self.write(("usr/sbin/nft", tarfile.CHRTYPE, "", {})))

    def test_a_link_that_leads_to_a_line_of_the_list_is_refused_wherever_it_comes_from(self):
        self.refused_one("/opt/x: leads to 'x\\ndrwx", archive=self.write(("opt/x", tarfile.SYMTYPE, FORGED, {})))
        done = self.publish({"opt/x": f"->{FORGED}"})
        self.assertEqual((1, True), (done.returncode, "change the link" in done.stderr), done.stderr)
        made = layer(self.folder / "made.squashfs", {"usr/sbin": "->/tmp", "zz": f"->{FORGED}"})
        with self.assertRaisesRegex(listing.LayerError, "/usr/sbin stands in it twice"):
            listing.kinds(made)
        made = layer(self.folder / "other.squashfs", {"zz": "->x\nanything"})
        with self.assertRaisesRegex(listing.LayerError, "has a line's end"):
            listing.kinds(made)

    def test_a_link_in_the_place_of_a_folder_of_the_system_is_refused_though_override_names_it(self):
        self.refused_one("/usr/sbin: a file or a link in the place of a folder of the system",
                         archive=self.write(("usr/sbin", tarfile.SYMTYPE, "/tmp", {}), manifest={**MANIFEST, "override": ["usr/sbin"]}))

    def test_more_than_a_module_may_hold_is_refused_before_anything_is_unpacked(self):
        self.refused_one("more than a module may hold", archive=self.write(self.file_entry("opt/x", size=5 * 1024 ** 3)))

    def test_an_archive_that_is_cut_is_refused_wherever(self):
        whole = len(self.write(self.file_entry("opt/x", size=70_000)).read_bytes())
        for cut in (0, 100, 512, 3000, 9000, 40_000, whole - 60_000):
            with self.subTest(cut):
                self.refused_one("maths.tar", archive=self.write(self.file_entry("opt/x", size=70_000), cut=cut))

    def test_a_manifest_that_is_none_is_refused(self):
        for manifest in ({**MANIFEST, "name": "other"}, {**MANIFEST, "override": "x"}, {**MANIFEST, "base": {}}, [1], {"name": "maths"}):
            with self.subTest(manifest):
                self.refused_one("a key is missing or not of its kind", archive=self.write(manifest=manifest))
        for text in ("{", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")):
            self.refused_one("fragments.json: no JSON", archive=self.write(fragments=text))
        for fragments in ('{"packages": []}', '{"accounts": {"passwd": "root"}}', '[]', '{"lines": {"/etc/../x": ["a"]}}', '{"diversions": [1]}'):
            with self.subTest(fragments):
                self.refused_one("fragments.json: ", archive=self.write(fragments=fragments))

    def test_lines_may_have_tabs_as_ucf_s_registry_has_and_nothing_else_that_is_no_letter(self):
        self.assertEqual("", checked.wrong({"lines": {"var/lib/ucf/registry": ["r-base-core             \t/etc/R/Renviron"]}}))
        for line in ("a\nb", "a\rb", "a\0b", "a\x1bb", ""):
            with self.subTest(line):
                self.assertIn("has no list of lines", checked.wrong({"lines": {"var/lib/ucf/registry": [line]}}))

    def test_names_of_owners_that_are_none_are_refused(self):
        for owners in ([], {"shadow": {}}, {"passwd": []}, {"passwd": {"condor": "101"}}, {"passwd": {"condor": 0}}, {"passwd": {"condor": True}},
                       {"group": {"a b": 5}}, {"group": {"x": 70000}}):
            with self.subTest(owners):
                self.refused_one("a key is missing or not of its kind", archive=self.write(self.file_entry("opt/x"), manifest={**MANIFEST, "owners": owners}))

    def test_owners_that_are_none_are_refused(self):
        self.refused_one("they have numbers from 0 to 65534", archive=self.write(self.file_entry("opt/x", uid=100_000)))

    def test_files_of_people_of_jobs_and_of_nobody_are_refused(self):
        for fields in ({"uid": 1000}, {"gid": 1000}, {"uid": 2001}, {"gid": 777}):
            with self.subTest(fields):
                self.refused_one(f"/opt/x (user {fields.get('uid', 0)}, group {fields.get('gid', 0)}): each of an account that neither", "chown -R root:root",
                                 archive=self.write(self.file_entry("opt/x", **fields), manifest={**MANIFEST, "override": ["opt/x"]}))
        self.refused_one("/opt/x09 (user 1000, group 0) and 20 more: each of", archive=self.write(*(self.file_entry(f"opt/x{one:02}", uid=1000) for one in range(30))))

    def test_files_of_accounts_that_the_module_makes_or_that_its_manifest_names_are_taken(self):
        own = json.dumps({"accounts": {"passwd": ["sums:x:110:111::/:/x"], "group": ["sums:x:111:"]}})
        named = {**MANIFEST, "owners": {"passwd": {"waves": 120}, "group": {"waves": 121}}}
        done = self.make(self.write(self.file_entry("opt/x", uid=110, gid=111), self.file_entry("opt/y", uid=120, gid=121), manifest=named, fragments=own))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_account_of_another_module_is_found_with_its_number_and_one_that_is_nowhere_is_told(self):
        one = gates.Layer("module", "waves", layer(self.file("waves"), {"opt/x": ""}), {}, {"owners": {"passwd": {"sums": 110}}})
        for parts, wanted in (({"sums": {"accounts": {"passwd": ["sums:x:112:111::/:/x"]}}}, ({110: 112}, 0)), ({}, ({}, 1))):
            found, wrong = moved.of([one], [], parts)
            self.assertEqual((found["waves"].owners["passwd"], len(wrong)), wanted, wrong)

    def test_an_account_with_a_number_that_each_machine_gives_is_refused(self):
        for number in (0, 990, 1000, 2001, 99999):
            own = json.dumps({"accounts": {"passwd": [f"svc:x:{number}:103::/:/x"]}})
            self.refused_one("is no line of passwd", archive=self.write(self.file_entry("opt/x", uid=min(number, 65534)), fragments=own))

    def test_a_disk_without_room_is_told_and_leaves_nothing(self):
        full = self.folder / "full"
        full.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "full", full)
        self.addCleanup(run, "umount", full)
        run("sh", "-c", f"yes > {full}/filler || true")
        self.refused_one("cannot be written: No space left on device", archive=self.write(self.file_entry("opt/x")), out=full / "maths.squashfs")
        self.assertEqual([path.name for path in full.iterdir()], ["filler"])


class Fragments(unittest.TestCase):
    def test_what_publish_never_writes_is_refused(self):
        for key, value in (("packages", {"sums": "Package: other\n"}), ("packages", {"sums": stanza("sums") + "\n\nPackage: evil"}), ("packages", []),
                           ("packages", {"sums": stanza("sums", status="deinstall ok config-files")}), ("accounts", {"passwd": ["root2:x:0:0"]}),
                           ("accounts", {"shadow": ["sums::1::::::"]}), ("accounts", {"shadow": ["sums:$y$x:1::::::"]}),
                           ("accounts", {"passwd": ["a:x:1:1:::\nb:x:0:0:::"]}),
                           ("accounts", {"sudoers": ["a"]}), ("accounts", {"members": ["adm"]}), ("lines", {"etc/sudoers": ["x"]}), ("lines", {"etc/shells": "x"}),
                           ("triggers", {"../../x": ["y"]}), ("triggers", {"Unincorp": ["y"]}), ("diversions", ["/a\n/b"]), ("diversions", "x"),
                           ("alternatives", [{"link": "x"}]), ("chosen", {"pager": "--help"}), ("other", {})):
            with self.subTest(f"{key} {value}"):
                self.assertNotEqual(checked.wrong({**EMPTY, key: value}), "")
        choice = {"link": "/usr/bin/a", "name": "a", "path": "/opt/a", "priority": 1, "others": []}
        self.assertEqual(checked.wrong({**EMPTY, "alternatives": [choice]}), "")
        for key, value in (("link", "--help"), ("path", "/../x"), ("name", "-a"), ("priority", "1"), ("others", [["/x", "b"]]), ("others", [["x", "b", "/y"]])):
            with self.subTest(f"{key} {value}"):
                self.assertNotEqual(checked.wrong({**EMPTY, "alternatives": [{**choice, key: value}]}), "")
        self.assertNotEqual(checked.wrong([]), "")

    def test_what_publish_writes_is_right(self):
        said = {**EMPTY, "packages": {"sums": stanza("sums")}, "extended_states": {"sums": "Package: sums\nAuto-Installed: 1"}, "diversions": ["/a\n/b\nsums"],
                "triggers": {"File": ["/usr/x sums/noawait"]}, "lines": {"etc/shells": ["/bin/sums"]}, "chosen": {"pager": "/bin/more"}, "accounts": {
                    "passwd": ["sums:x:998:997:Sums:/:/bin/false"], "group": ["sums:x:997:"], "shadow": ["sums:!:2::::::"], "gshadow": ["sums:!::"],
                    "members": ["adm sums"]}}
        self.assertEqual(checked.wrong(said), "")


if __name__ == "__main__":
    unittest.main()
