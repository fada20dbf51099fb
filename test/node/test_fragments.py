"""What a module adds to files that many packages share: taken out, looked at, and joined again."""
import os
import pathlib
import tempfile
import unittest

from wow.lib.errors import WowError
from wow.module import accounts, alternatives, dpkg, fragments, places, secrets, tree
from wow.module.judge import Judge

PASSWD = "root:x:0:0:root:/root:/bin/sh\ncondor:x:101:103::/var/lib/condor:/bin/sh\n"
BASE = {"passwd": PASSWD, "group": "root:x:0:\ncondor:x:103:\nadm:x:4:\n", "shadow": "root:*:1::::::\ncondor:!:1::::::\n", "gshadow": "root:*::\ncondor:!::\nadm:*::\n"}
NEW = {"passwd": "sums:x:998:997::/:/bin/false\n", "group": "sums:x:997:\n", "shadow": "sums:!:2::::::\n", "gshadow": "sums:!::\n"}
PAGER = "auto\n/usr/bin/pager\npager.1.gz\n/usr/share/man/man1/pager.1.gz\n\n/bin/more\n50\n/usr/share/man/man1/more.1.gz\n\n"


def stanza(name, version="1.0", status="install ok installed"):
    return f"Package: {name}\nStatus: {status}\nVersion: {version}\nDescription: x\n y"


def status(*stanzas):
    return "".join(f"{one}\n\n" for one in stanzas)


class Packages(unittest.TestCase):
    def test_new_packages_are_taken_and_those_below_are_not(self):
        found, wrong = dpkg.added(status(stanza("libc6")), status(stanza("libc6"), stanza("sums")))
        self.assertEqual((found, wrong), ({"sums": stanza("sums")}, []))

    def test_a_hold_of_a_package_below_changes_nothing(self):
        self.assertEqual(dpkg.added(status(stanza("libc6")), status(stanza("libc6", status="hold ok installed"))), ({}, []))

    def test_what_cannot_be_published_is_told_with_what_to_do(self):
        for now, words in ((status(stanza("libc6", "2.0")), "--allow-downgrades libc6=1.0, or by its file of https://snapshot.debian.org/binary/libc6/ "),
                           ("", "Install it again: apt-get install libc6"),
                           (status(stanza("libc6", status="deinstall ok config-files")), "was removed"),
                           (status(stanza("libc6"), stanza("sums", status="install ok half-configured")), "dpkg --configure -a"),
                           (status(stanza("libc6"), stanza("sums", status="deinstall ok config-files")), "dpkg --purge sums")):
            with self.subTest(words):
                found, wrong = dpkg.added(status(stanza("libc6")), now)
                self.assertEqual((found, len(wrong)), ({}, 1))
                self.assertIn(words, wrong[0])

    def test_packages_of_several_modules_are_joined_in_dpkgs_order(self):
        joined = dpkg.join(status(stanza("m")), {"one": {"z": stanza("z"), "a": stanza("a")}, "two": {"a": stanza("a")}})
        self.assertEqual(joined, status(stanza("a"), stanza("m"), stanza("z")))

    def test_one_package_in_two_versions_is_refused_by_name(self):
        with self.assertRaises(WowError) as caught:
            dpkg.join(status(stanza("m")), {"one": {"z": stanza("z")}, "two": {"z": stanza("z", "2.0")}})
        for words in ("the package z is 1.0 in the module one, and 2.0 in the module two", "Publish the module anew"):
            self.assertIn(words, str(caught.exception))

    def test_of_a_package_of_base_and_module_the_newer_version_counts(self):
        for below, here, counts in (("1.0", "2.0", "2.0"), ("2.0", "1.0", "2.0"), ("1.0", "1.0", "1.0"), ("1:0.1", "2.0", "1:0.1"), ("2.0~rc1", "2.0", "2.0")):
            self.assertEqual(dpkg.join(status(stanza("m", below)), {"one": {"m": stanza("m", here)}}), status(stanza("m", counts)))

    def test_versions_are_ordered_as_deb_version_says(self):
        ordered = ("0~~", "0~~a", "0~", "0", "0a", "0.1", "1.0~rc1-1", "1.0-1~bpo1", "1.0-1", "1.0-1+b1", "1.0-1.1", "1.0-2", "1.0-10", "1.0a-1", "1.0+dfsg-1",
                   "1.0.1", "1.2", "1.10", "1:0.1", "2:0")
        for at, version in enumerate(ordered):
            for other in ordered[:at]:
                self.assertTrue(dpkg.is_newer(version, other) and not dpkg.is_newer(other, version), f"{other} and {version}")
        for version, other in (("1.0", "0:1.0"), ("1.0", "1.0-0"), ("1.01", "1.1")):
            self.assertFalse(dpkg.is_newer(version, other) or dpkg.is_newer(other, version), f"{other} and {version}")


class Accounts(unittest.TestCase):
    def more(self, **tables):
        return {name: BASE[name] + tables.get(name, "") for name in accounts.TABLES}

    def test_new_lines_and_new_members_are_taken(self):
        now = self.more(**NEW)
        now["group"] = now["group"].replace("adm:x:4:", "adm:x:4:sums")
        found, wrong = accounts.added(BASE, now)
        self.assertEqual((found, wrong), ({**{name: [text.strip()] for name, text in NEW.items()}, "members": ["adm sums"]}, []))

    def test_people_jobs_and_the_page_are_the_machines_own(self):
        now = self.more(passwd="alice:x:1000:1000::/home/alice:/bin/bash\nwowjob1:x:2001:2001::/:/x\nwow-console:x:989:990::/:/x\n",
                        group="alice:x:1000:\nwow:x:990:alice\nwowjob1:x:2001:\n", shadow="alice:$y$j9T$secret:1::::::\nwowjob1:*:1::::::\nwow-console:*:1::::::\n")
        now["group"] = now["group"].replace("adm:x:4:", "adm:x:4:alice,wow-console")
        self.assertEqual(accounts.added(BASE, now, {"alice": 1000}), ({}, []))
        self.assertEqual(["wowjobs:x:300:300::/:/x"], accounts.added(BASE, self.more(passwd="wowjobs:x:300:300::/:/x\n"))[0]["passwd"])

    def test_an_account_with_a_number_that_each_machine_gives_is_refused_and_a_person_s_is_left_out(self):
        people = {"passwd": "alice:x:1000:1000::/home/alice:/bin/bash\n", "group": "alice:x:1000:\n", "shadow": "alice:*:1::::::\n"}
        for number in (1001, 1000, 1999, 2000, 2001, 2128, 30000, 65000, 990, 0):
            with self.subTest(number):
                own = {"passwd": f"svc:x:{number}:{number}::/home/svc:/bin/sh\n", "group": f"svc:x:{number}:\n", "shadow": "svc:$y$x:1::::::\n", "gshadow": "svc:!::\n"}
                found, wrong = accounts.added(BASE, self.more(**{name: people.get(name, "") + own[name] for name in own}), {"alice": 1000})
                self.assertEqual((found, len(wrong)), ({}, 2))
                for line, words in zip(wrong, (f"/etc/passwd: the user svc has number {number}, ", f"/etc/group: the group svc has number {number}, ")):
                    self.assertIn(words, line)
                self.assertIn("deluser svc, then adduser --system svc", wrong[0])
        self.assertEqual(1, len(accounts.added(BASE, self.more(passwd=people["passwd"]), {"alice": 1001})[1]), "a name is not enough")
        self.assertEqual([], accounts.added(BASE, self.more(passwd="qemu:x:64055:103::/:/x\n"), {})[1])

    def test_passwords_and_changes_of_accounts_below_are_refused(self):
        for tables, words in (({**self.more(**NEW), "shadow": BASE["shadow"] + "sums:$y$j9T$x:2::::::\n"}, "sums has a password"),
                              ({**self.more(**NEW), "shadow": BASE["shadow"] + "sums::2::::::\n"}, "sums has a password"),
                              ({**BASE, "passwd": PASSWD.replace("/bin/sh", "/bin/bash", 1)}, "the line of root, an account of the layers below, was changed"),
                              ({**BASE, "shadow": BASE["shadow"].replace("root:*", "root:$y$x")}, "the line of root"),
                              ({**BASE, "passwd": PASSWD.splitlines()[0] + "\n"}, "the account condor of the layers below is gone")):
            with self.subTest(words):
                found, wrong = accounts.added(BASE, tables)
                self.assertNotIn("$y$", str(found))
                self.assertIn(words, "\n".join(wrong))

    def test_lines_come_back_and_numbers_stay(self):
        found, _ = accounts.added(BASE, self.more(**NEW))
        joined = accounts.join(BASE, {"maths": {**found, "members": ["adm sums"]}, "physics": found})
        self.assertEqual(joined["passwd"], PASSWD + NEW["passwd"])
        self.assertIn("adm:x:4:sums\n", joined["group"])
        self.assertEqual(accounts.join(BASE, {}), BASE)

    def test_a_number_or_a_name_that_is_taken_is_refused_with_both_owners(self):
        for line, words in (("sums:x:0:997::/:/x", "number 0 of the user sums in the module maths is root's in the base"),
                            ("condor:x:5:103::/:/x", "the user condor is number 101 in the base, and 5 in the module maths"),
                            ("root:x:500:0::/:/x", "the user root is number 0 in the base, and 500 in the module maths")):
            with self.assertRaises(WowError) as caught:
                accounts.join(BASE, {"maths": {"passwd": [line]}})
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(WowError) as caught:
            accounts.join(BASE, {"maths": {"passwd": ["a:x:5:5::/:/x"]}, "physics": {"passwd": ["b:x:5:6::/:/x"]}})
        self.assertIn("number 5 of the user b in the module physics is a's in the module maths", str(caught.exception))


    def test_accounts_of_the_base_make_room_for_a_modules_number(self):
        more = {"maths": {"passwd": ["sums:x:101:998::/:/x"], "group": ["sums:x:103:"]}, "physics": {"passwd": ["waves:x:999:998::/:/x"]}}
        joined = accounts.join(BASE, more)
        self.assertEqual(joined["passwd"], PASSWD.replace("101:103", "998:999") + "sums:x:101:998::/:/x\nwaves:x:999:998::/:/x\n")
        self.assertEqual(joined["group"], BASE["group"].replace("condor:x:103", "condor:x:999") + "sums:x:103:\n")
        # So they do where the module is looked at alone, below which the room was made.
        self.assertEqual(accounts.join(BASE, {}, more)["passwd"], PASSWD.replace("101:103", "998:999"))

    def test_room_is_made_at_no_number_that_each_machine_gives(self):
        full = {**BASE, "passwd": PASSWD + "".join(f"a{number}:x:{number}:0::/:/x\n" for number in accounts.DYNAMIC if number > 990)}
        joined = accounts.join(full, {"maths": {"passwd": ["sums:x:101:998::/:/x"]}})
        self.assertIn("condor:x:985:", joined["passwd"])

    def test_an_account_of_both_has_the_modules_number(self):
        joined = accounts.join(BASE, {"maths": {"passwd": ["condor:x:500:103::/:/x"]}})
        self.assertEqual(joined["passwd"], PASSWD.replace("condor:x:101", "condor:x:500"))

    def test_where_no_number_is_free_it_is_refused(self):
        full = {**BASE, "passwd": "".join(f"a{number}:x:{number}:0::/:/x\n" for number in accounts.DYNAMIC)}
        with self.assertRaises(WowError) as caught:
            accounts.join(full, {"maths": {"passwd": ["sums:x:101:997::/:/x"]}})
        self.assertIn("number 101 of the user sums in the module maths is a101's in the base", str(caught.exception))


class Alternatives(unittest.TestCase):
    def test_new_choices_are_taken_with_the_links_that_go_with_them(self):
        now = PAGER.removesuffix("\n") + "/usr/bin/less\n77\n\n\n"
        found = alternatives.added({"pager": PAGER}, {"pager": now, "new": "auto\n/usr/bin/new\n\n/opt/new\n1\n\n"})
        self.assertEqual([(one["name"], one["path"], one["priority"], one["others"]) for one in found],
                         [("new", "/opt/new", 1, []), ("pager", "/usr/bin/less", 77, [])])
        self.assertEqual(alternatives.commands(found[:1], {"new": "/opt/new"}), [
            ["update-alternatives", "--quiet", "--install", "/usr/bin/new", "new", "/opt/new", "1"], ["update-alternatives", "--quiet", "--set", "new", "/opt/new"]])

    def test_a_choice_by_hand_is_taken(self):
        now = PAGER.replace("auto", "manual", 1)
        self.assertEqual(alternatives.chosen({"pager": PAGER}, {"pager": now}, {"pager": "/bin/more"}), {"pager": "/bin/more"})
        self.assertEqual(alternatives.chosen({"pager": now}, {"pager": now}, {"pager": "/bin/more"}), {})


class Shared(unittest.TestCase):
    """Roots of a few files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lower, self.upper = (os.path.join(folder.name, name) for name in ("lower", "upper"))
        self.put(self.lower, "var/lib/dpkg/status", status(stanza("libc6")))
        self.put(self.upper, "var/lib/dpkg/status", status(stanza("libc6"), stanza("sums")))
        for name in accounts.TABLES:
            self.put(self.lower, f"etc/{name}", BASE[name])
            self.put(self.upper, f"etc/{name}", BASE[name] + NEW[name])
        self.put(self.lower, "etc/shells", "/bin/sh\n")
        self.put(self.upper, "etc/shells", "/bin/sh\n/bin/sums\n")
        self.put(self.lower, "var/lib/dpkg/diversions", "/a\n/a.x\nlibc6\n")
        self.put(self.upper, "var/lib/dpkg/diversions", "/b\n/b.x\nsums\n/a\n/a.x\nlibc6\n")
        self.put(self.upper, "var/lib/dpkg/triggers/File", "/usr/x sums\n")
        self.put(self.upper, "var/lib/apt/extended_states", "Package: sums\nAuto-Installed: 1\n\nPackage: libc6\nAuto-Installed: 1\n\n")

    def put(self, root, path, text):
        place = pathlib.Path(root, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def test_what_is_taken_out_makes_the_same_files_again(self):
        found, wrong = fragments.read(self.lower, self.upper)
        self.assertEqual(wrong, [])
        joined = fragments.join(self.lower, {"maths": found})
        for path in ("var/lib/dpkg/status", "etc/passwd", "etc/group", "etc/shadow", "etc/gshadow", "etc/shells", "var/lib/dpkg/triggers/File"):
            self.assertEqual(joined[path], fragments.text(self.upper, path), path)
        self.assertEqual(joined["var/lib/dpkg/diversions"], "/a\n/a.x\nlibc6\n/b\n/b.x\nsums\n")
        self.assertEqual(joined["var/lib/apt/extended_states"], "Package: sums\nAuto-Installed: 1\n\n")
        self.assertEqual(fragments.join(self.lower, {}), {})

    def test_triggers_that_wait_are_told(self):
        self.put(self.upper, "var/lib/dpkg/triggers/Unincorp", "ldconfig libc-bin\n")
        self.assertIn("dpkg --configure --pending", fragments.read(self.lower, self.upper)[1][0])


class Places(unittest.TestCase):
    def test_a_pattern_holds_for_what_it_names_and_what_is_below(self):
        for path, what in (("etc/passwd", places.FRAGMENT), ("etc/passwd.d/x", None), ("var/lib/dpkg/status", places.FRAGMENT), ("var/lib/dpkg/lock", places.DROP),
                           ("boot/x", places.REFUSE), ("bootx", None), ("usr/lib/python3/__pycache__/x.pyc", places.DROP), ("etc/ssh/ssh_host_rsa_key", places.DROP),
                           ("lib/x", places.REFUSE), ("usr/lib/x", None), ("usr/share/icons/hicolor/icon-theme.cache", places.DROP)):
            with self.subTest(path):
                held = places.held_back(path)
                self.assertEqual(held and held[0], what)

    def test_what_triggers_make_of_all_packages_is_left_out_where_the_layers_below_have_it(self):
        judge = Judge("", {"packages": {}}, set(), set(), [], {})
        for path, is_made in (("usr/share/applications/mimeinfo.cache", True), ("usr/share/mime/globs2", True), ("usr/share/mime/text/x-sums.xml", True),
                              ("usr/share/mime/x-scheme-handler/sums.xml", True), ("usr/share/mime/packages/sums.xml", False),
                              ("usr/share/applications/sums.desktop", False)):
            with self.subTest(path):
                self.assertEqual(places.is_by_triggers(path), is_made)
                gone = judge.verdict(tree.Change(path, tree.DELETED, "", None, None)).fate
                self.assertEqual(gone, places.DROP if is_made else places.REFUSE)

    def test_words_that_only_sound_like_secrets_are_none(self):
        for path in ("usr/share/history.txt", "opt/history/x", "etc/ssh/sshd_config", "opt/public.pem"):
            self.assertEqual(secrets.by_name(path), "", path)


if __name__ == "__main__":
    unittest.main()
