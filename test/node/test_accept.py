"""Which pool.conf counts, and what a first boot leaves in the state folder."""
import base64
import os
import tempfile
import unittest
from unittest import mock

from wow.lib import console, files, pem
from wow.lib.errors import WowError
from wow.setup import accept, configure, outside
import samples


class Choice(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.disk, self.kept, self.certificate = (os.path.join(self.folder.name, name) for name in ("disk", "kept", "node.pem"))
        self.good = samples.text(samples.sections()).encode()

    def put(self, path, data):
        with open(path, "wb") as file:
            file.write(data)

    def choose(self):
        return accept.choose(self.disk, self.kept, self.certificate)

    def test_without_any_file_there_is_nothing_to_take(self):
        with self.assertRaises(WowError) as caught:
            self.choose()
        self.assertIn("WOWCFG", str(caught.exception))

    def test_without_the_disk_the_accepted_copy_counts_and_nothing_is_told(self):
        self.put(self.kept, self.good)
        pool, data, refused = self.choose()
        self.assertEqual((pool.name, data, refused), ("science", self.good, None))

    def test_a_disk_with_a_mistake_is_told_and_the_accepted_copy_counts(self):
        self.put(self.kept, self.good)
        self.put(self.disk, samples.changed("pool", "colour", "red"))
        pool, _, refused = self.choose()
        self.assertEqual((pool.host, refused.key), ("alpha", "[pool] colour"))

    def test_a_new_disk_of_the_same_pool_counts(self):
        self.put(self.kept, self.good)
        self.put(self.certificate, b"")
        self.put(self.disk, samples.changed("node", "host", "omega"))
        self.assertEqual(self.choose()[0].host, "omega")

    def test_another_pool_is_refused_while_there_is_a_certificate(self):
        self.put(self.kept, self.good)
        self.put(self.disk, samples.changed("pool", "name", "other"))
        self.assertEqual(self.choose()[0].name, "other")
        self.put(self.certificate, b"")
        pool, _, refused = self.choose()
        self.assertEqual((pool.name, refused.key), ("science", "[pool] name"))
        self.assertIn("L at this machine's screen, its web page, or wow reset", refused.todo)

    def test_the_certificate_that_the_ca_renewed_is_of_the_same_pool_and_that_of_another_key_or_name_is_not(self):
        self.put(self.kept, self.good)
        self.put(self.certificate, b"")
        for ca, refused in ((samples.certificate(until=46), None), (samples.certificate(until=46, key=1), "[ca] certificate"),
                            (samples.certificate("other CA", until=46), "[ca] certificate")):
            data = samples.changed("ca", "certificate", base64.b64encode(ca).decode())
            self.put(self.disk, data)
            pool, found, trouble = self.choose()
            self.assertEqual((found, pool.ca_der == ca, trouble and trouble.key), (self.good, False, refused) if refused else (data, True, None))

    def test_modules_that_the_initrd_did_not_stack_are_told(self):
        pool = samples.pool(modules__names="tutorial  genomics")
        stacked = os.path.join(self.folder.name, "modules")
        self.assertIsNone(outside.trouble(pool, stacked), "a machine without our initrd")
        for text in (b"modules=\nabsent=\n", b"modules=tutorial\nabsent=\n"):
            self.put(stacked, text)
            found = outside.trouble(pool, stacked)
            self.assertEqual((found.file, found.key), ("pool.conf", "[modules] names"))
            self.assertIn("Start the machine once more", found.todo)
        self.put(stacked, b"modules=tutorial genomics\nabsent=genomics\n")
        self.assertIn("no layer named genomics", str(outside.trouble(pool, stacked)))
        self.put(stacked, b"modules=tutorial genomics\nabsent=\n")
        self.assertIsNone(outside.trouble(pool, stacked))
        self.assertIsNotNone(outside.trouble(samples.pool(), stacked))
        self.put(stacked, b"modules=tutorial genomics\nabsent=\nstacked=genomics tutorial\n")
        self.assertIsNone(outside.trouble(pool, stacked))
        self.put(stacked, b"modules=tutorial genomics\nabsent=\nstacked=genomics tutorial waves\n")
        self.assertIn("the machine has waves too, for the stack has no glue", str(outside.trouble(pool, stacked)))
        self.assertIn("wow image stack --choice 'tutorial genomics'", outside.trouble(pool, stacked).todo)
        self.put(stacked, b"modules=\nabsent=\nstacked=genomics\n")
        self.assertIsNone(outside.trouble(samples.pool(), stacked), "where nothing is chosen none is too many")
        self.put(stacked, b"modules=\nabsent=\n")
        self.assertIsNone(outside.trouble(samples.pool(), stacked))

    def test_the_choice_of_the_accepted_file_is_kept_for_the_initrd(self):
        lines = os.path.join(self.folder.name, "pool.lines")
        outside.keep(samples.pool(modules__names="tutorial  genomics"), self.folder.name)
        first = os.stat(lines)
        with open(lines, encoding="ascii") as file:
            self.assertIn("modules=tutorial genomics\n", file.read())
        outside.keep(samples.pool(modules__names="tutorial genomics"), self.folder.name)
        self.assertEqual((os.stat(lines).st_ino, first.st_mode & 0o777), (first.st_ino, 0o600))
        outside.keep(samples.pool(), self.folder.name)
        with open(lines, encoding="ascii") as file:
            self.assertNotIn("modules=", file.read())

    def test_keeping_writes_once_and_only_for_root(self):
        accept.keep(self.good, self.kept)
        first = os.stat(self.kept)
        accept.keep(self.good, self.kept)
        self.assertEqual((os.stat(self.kept).st_ino, first.st_mode & 0o777), (first.st_ino, 0o600))


class Manager(unittest.TestCase):
    def test_the_key_is_copied_last_and_once(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = f"{folder}/manager", f"{folder}/state"
            os.makedirs(f"{source}/ca")
            os.makedirs(target)
            for name in ("node.key", "node.pem", "ca/ca.key"):
                with open(f"{source}/{name}", "w", encoding="ascii") as file:
                    file.write(name)
            configure.take_identity(source, target)
            self.assertEqual(os.stat(f"{target}/node.key").st_mode & 0o777, 0o600)
            self.assertEqual(os.stat(f"{target}/ca/ca.key").st_mode & 0o777, 0o600)
            with open(f"{source}/node.pem", "w", encoding="ascii") as file:
                file.write("later")
            configure.take_identity(source, target)
            with open(f"{target}/node.pem", encoding="ascii") as file:
                self.assertEqual(file.read(), "node.pem")

    KEY, DATABASE = "-----BEGIN PRIVATE KEY-----\n", "SQLite format 3\0"
    """How a CA's key and its database begin."""

    def manager(self, **kept):
        """(a disk's folder, a machine's) of a manager that has these files, NAME to text, with ca__ before those of the CA."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, target = f"{folder.name}/manager", f"{folder.name}/state"
        for place, texts in ((source, {"node_key": "key", "node_pem": "old", "ca__ca_key": "old", "ca__ca_db": "old"}), (target, kept)):
            os.makedirs(f"{place}/ca" if any("__" in name for name in texts) else place)
            for name, text in texts.items():
                files.write(f"{place}/{name.replace('__', '/').replace('_', '.')}", text)
        return source, target

    def test_a_ca_that_is_whole_stays_where_the_machine_lost_its_key_alone(self):
        mine = [f"{self.KEY}mine", f"{self.DATABASE}mine"]
        source, target = self.manager(ca__ca_key=mine[0], ca__ca_db=mine[1])
        with mock.patch.object(configure.console, "say_of_start") as said:
            configure.take_identity(source, target)
        self.assertEqual([*mine, "key", "old"], [files.read(f"{target}/{name}") for name in ("ca/ca.key", "ca/ca.db", "node.key", "node.pem")])
        self.assertEqual((["ca", "node.key", "node.pem"], False), (sorted(os.listdir(target)), said.called))

    def test_a_ca_that_is_damaged_is_put_aside_and_told_and_never_removed(self):
        source, target = self.manager(ca__ca_db="mine")
        with mock.patch.object(configure.console, "say_of_start") as said:
            for number in (1, 2):
                configure.take_identity(source, target)
                self.assertEqual(("mine", "old"), (files.read(f"{target}/ca.aside-1/ca.db"), files.read(f"{target}/ca/ca.db")))
                self.assertIn(f"ca.aside-{number} now", str(said.call_args.args[0]))
                for name in ("node.key", "ca/ca.key"):
                    os.unlink(f"{target}/{name}")
        self.assertEqual(["ca", "ca.aside-1", "ca.aside-2", "node.pem"], sorted(os.listdir(target)))

    def test_a_ca_with_an_empty_or_overwritten_file_is_damaged(self):
        for key, database, is_whole in ((self.KEY, self.DATABASE, True), ("", self.DATABASE, False), (self.KEY, "", False), (self.KEY, "\0" * 4096, False)):
            source, target = self.manager(ca__ca_key=key, ca__ca_db=database)
            with mock.patch.object(configure.console, "say_of_start") as said:
                configure.take_identity(source, target)
            self.assertEqual((database if is_whole else "old", not is_whole), (files.read(f"{target}/ca/ca.db"), said.called))
            self.assertEqual(is_whole, not os.path.exists(f"{target}/ca.aside-1"))

    def test_a_manager_with_the_ca_whose_certificate_ended_takes_that_of_a_disk_made_anew_and_keeps_its_ca(self):
        own, disk = pem.encode(samples.certificate()), pem.encode(samples.certificate(until=37))
        for passed, taken in ((-1, False), (1, True)):
            source, target = self.manager(node_key="key", node_pem=own, ca__ca_key=self.KEY, ca__ca_db=f"{self.DATABASE}mine")
            files.write(f"{source}/node.pem", disk)
            with mock.patch.object(configure.time, "time", lambda passed=passed: configure.ended(own) + passed):
                configure.take_identity(source, target)
            self.assertEqual((disk if taken else own, f"{self.DATABASE}mine"), (files.read(f"{target}/node.pem"), files.read(f"{target}/ca/ca.db")))

    def test_a_certificate_of_the_same_key_that_ends_later_than_the_disk_s_stays(self):
        for kept, taken in (({"until": 37}, False), ({"until": 35}, True), ({"until": 37, "key": 1}, True)):
            own, disk = (pem.encode(samples.certificate(**said)) for said in (kept, {}))
            source, target = self.manager(node_pem=own)
            files.write(f"{source}/node.pem", disk)
            configure.take_identity(source, target)
            self.assertEqual((disk if taken else own, "key"), (files.read(f"{target}/node.pem"), files.read(f"{target}/node.key")))

    def test_a_machine_with_an_assigned_address_brings_key_and_certificate(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = f"{folder}/machine", f"{folder}/state"
            os.makedirs(target)
            configure.take_identity(source, target)
            self.assertEqual(os.listdir(target), [])
            os.makedirs(source)
            for name in ("node.key", "node.pem"):
                with open(f"{source}/{name}", "w", encoding="ascii") as file:
                    file.write(name)
            configure.take_identity(source, target)
            self.assertEqual(sorted(os.listdir(target)), ["node.key", "node.pem"])

    def test_the_pem_holds_the_certificate_in_lines_of_64(self):
        import ssl
        text = pem.encode(samples.certificate())
        self.assertEqual(ssl.PEM_cert_to_DER_cert(text), samples.certificate())
        self.assertEqual(max(len(line) for line in text.splitlines()), 64)

    def test_certificates_are_found_in_a_text_and_what_is_none_is_passed_over(self):
        one, other = samples.certificate(), samples.certificate(key=1)
        cut = pem.encode(one)[:-10]
        self.assertEqual([one, other], pem.certificates(f"said:\n{pem.encode(one)}x\n{pem.BEGIN}\n!\n{pem.END}\n{pem.encode(other)}{cut}"))
        self.assertEqual((other, None, None), (pem.certificate(pem.encode(other) + pem.encode(one)), pem.certificate(cut), pem.certificate(None)))


class Console(unittest.TestCase):
    def test_a_line_has_step_time_and_quoted_values(self):
        self.assertEqual(console.line("error", 4.2, file="pool.conf", key="[pool] name", what='has "quotes"\nand lines', none=None),
                         "WOW: error t=4.20 file=pool.conf key=\"[pool] name\" what=\"has 'quotes' and lines\"")

    def test_no_line_is_longer_than_the_kernel_takes(self):
        self.assertLessEqual(len(console.line("error", 1.0, what="x" * 5000)), console.LONGEST)
