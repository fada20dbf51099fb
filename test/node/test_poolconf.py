"""pool.conf: what is right is read, what is wrong is told with file, section, key and what to do."""
import base64
import os
import tempfile
import unittest

from wow.config import keys, kinds, poolconf
from wow.lib.errors import WowError
import samples


class WhatIsRight(unittest.TestCase):
    def test_every_key_of_the_sample_is_read(self):
        pool = samples.pool()
        self.assertEqual((pool.name, pool.zone, pool.subnet, pool.role, pool.host, pool.port), ("science", "science.internal", "10.128.0.0/16", "worker", "alpha", 4433))
        self.assertEqual(pool.values["pool", "bootstrap"], "udp:203.0.113.7:4433 udp:boot.example.org:443")
        self.assertEqual((pool.values["pool", "secret"], pool.values["ca", "ticket"], pool.open, pool.capture), (samples.SECRET, "t1:hushhush", False, False))
        self.assertEqual((pool.ca_der, pool.ca_name), (samples.certificate(), "science CA"))
        self.assertEqual(pool.users, {"alice": samples.ssh_key()})
        self.assertEqual(pool.projects, {"storm surge": {"says": "Wir sagen Sturmfluten an der Küste voraus.", "link": "https://example.org/surge?year=2026"}})
        self.assertIsNone(pool.modules)

    def test_who_may_ask_the_ca_is_named_and_nobody_else_may(self):
        self.assertEqual(samples.pool().admins, ())
        sections = samples.sections()
        sections["user:alice"]["admin"] = "yes"
        self.assertEqual(poolconf.read(samples.text(sections).encode()).admins, ("alice",))

    def test_a_manager_needs_no_bootstrap(self):
        self.assertTrue(samples.pool(node__role="manager", pool__bootstrap=None).is_manager)

    def test_an_open_pool_needs_no_ca(self):
        self.assertTrue(samples.pool(pool__open="yes", ca__certificate=None, ca__ticket=None).open)

    def test_a_byte_order_mark_crlf_and_comments_are_fine(self):
        data = b"\xef\xbb\xbf# made with an editor\r\n" + samples.text(samples.sections()).replace("\n", "\r\n").encode()
        self.assertEqual(poolconf.read(data).name, "science")

    def test_the_overlay_s_own_keys_have_defaults_and_are_read(self):
        def values(**changes):
            found = samples.pool(**changes).values
            return [found[name] for name in (("udp", "port-mapping"), ("udp", "multicast"), ("tcp", "ports"), ("relay", "rate"), ("time", "ntp"), ("metrics", "listen"))]
        self.assertEqual(values(), ["yes", "yes", "auto", "1000", "", ""])
        self.assertEqual(values(tcp__ports="4433  443", relay__rate="065535", metrics__listen="127.0.0.2:9433", udp__multicast="no", time__ntp="ntp.example.org"),
                         ["yes", "no", "4433 443", "65535", "ntp.example.org", "127.0.0.2:9433"])
        self.assertEqual(values(tcp__ports="none")[2], "none")

    def test_every_kind_of_the_contract_has_its_reader(self):
        self.assertEqual({kind for section in keys.POOL.values() for kind, _, _ in section.values()}, set(kinds.KINDS))

    def test_reserved_ranges_are_of_the_subnet_and_leave_something(self):
        self.assertEqual(samples.pool().values["pool", "reserved"], "")
        for right, read in (("10.128.0.5-10.128.0.5", "10.128.0.5-10.128.0.5"), ("10.128.0.0-10.128.255.252", "10.128.0.0-10.128.255.252"),
                            ("10.128.255.0-10.128.255.255 ,10.128.0.0-10.128.3.255", "10.128.0.0-10.128.3.255, 10.128.255.0-10.128.255.255")):
            self.assertEqual(samples.pool(pool__reserved=right).values["pool", "reserved"], read)

    def test_modules_are_names_with_blanks_between(self):
        self.assertEqual(samples.pool(modules__names="tutorial genomics").modules, ("tutorial", "genomics"))

    def test_origins_are_a_few_places_of_https_in_one_spelling(self):
        def origins(text):
            return samples.pool(modules__origins=text).origins
        pin = "#sha256=" + "AB" * 32
        self.assertEqual(origins(f"https://A.example/wow/  https://192.0.2.7:08443{pin}"), ("https://a.example/wow", f"https://192.0.2.7:8443{pin.lower()}"))
        self.assertEqual((origins(""), origins(" ".join(f"https://a{number}" for number in range(4)))[3]), ((), "https://a3"))
        for bad in ("http://a.example", "a.example", "https://", "https:///x", "https://a.example:0", "https://a.example:", "https://u@a.example", "https://a.example/x?y",
                    "https://[::1]/", "https://a.example/\"", "https://a.example#sha256=ab", "https://a.example#", f"https://a.example{pin}f", "https://a" * 60, "https://a/" + "a" * 200,
                    "https://a https://A/", " ".join(f"https://a{number}" for number in range(5))):
            with self.assertRaises(WowError, msg=bad) as caught:
                origins(bad)
            self.assertEqual(caught.exception.key, "[modules] origins")

    def test_an_empty_value_is_as_good_as_none(self):
        self.assertIsNone(samples.pool(node__host="").host)


class WhatIsWrong(unittest.TestCase):
    def refused(self, data, key, *words):
        with self.assertRaises(WowError) as caught:
            poolconf.read(data, "pool.conf")
        error = caught.exception
        self.assertEqual((error.file, error.key), ("pool.conf", key))
        self.assertGreater(len(error.todo), 10, "an error says what to do")
        for word in words:
            self.assertIn(word, str(error))

    def value(self, section, key, value, *words):
        self.refused(samples.changed(section, key, value), f"[{section}] {key}", *words)

    def test_unknown_keys_and_sections_are_named_with_their_line(self):
        self.refused(samples.changed("pool", "colour", "red"), "[pool] colour", "line 6", "subnet")
        self.refused(samples.changed("bogus", "a", "b"), "[bogus]", "[pool]")
        self.refused(samples.changed("user:alice", "password", "x"), "[user:alice] password", "authorized-key")

    def test_wrong_values_of_the_overlay_s_own_keys(self):
        self.value("udp", "multicast", "maybe", "yes or no")
        self.value("udp", "port-mapping", "1", "yes or no")
        for wrong in ("4433,443", "443 443", "443 0443", "0", "65536", "auto none", "-1", "\u0664"):
            self.value("tcp", "ports", wrong, "list of different ports")
        for wrong in ("-1", "1.5", "65536", "many", "10000000", "\u0664"):
            self.value("relay", "rate", wrong, "from 0 to 65535")
        for wrong in ("9433", "127.0.0.1", "localhost:9433", "127.0.0.1:0", "127.0.0.1:x", ":9433", "::1:9433"):
            self.value("metrics", "listen", wrong, "is not ADDRESS:PORT")
        for wrong in ("a b", "ntp.example.org:123", "10.0.0.300", "-x"):
            self.value("time", "ntp", wrong, "is not a host")
        for wrong in ("0.0.0.0:9433", "192.0.2.1:9433"):
            self.value("metrics", "listen", wrong, "is not a loopback address")

    def test_wrong_subnets(self):
        self.value("pool", "subnet", "10.128.0.1/16", "the network is 10.128.0.0/16")
        for wrong in ("10.128.0.0/016", "10.128.0.0", "10.128.0.0/7", "10.128.0.0/29", "10.128.0.0/33", "10.300.0.0/16", "010.0.0.0/8", "fd00::/64", "x", "127.0.0.0/8",
                      "224.0.0.0/8", "169.254.0.0/16", "0.0.0.0/8", "10.128.0.0/1 6"):
            self.value("pool", "subnet", wrong, "like 10.128.0.0/16")
        self.value("pool", "subnet", None, "is missing")

    def test_wrong_reserved_ranges(self):
        for wrong in ("10.128.0.0/24", "10.128.0.7", "10.128.0.1-10.128.0.9,", "10.128.0.1-10.128.0.9 10.128.1.1-10.128.1.9", "a-b", "10.128.0.1-"):
            self.value("pool", "reserved", wrong, "is not FIRST-LAST", "commas between")
        self.value("pool", "reserved", "10.128.0.1-10.128.0.9, 10.128.2.9-10.128.2.1", '"10.128.2.9-10.128.2.1" ends before it begins')
        for wrong in ("10.127.255.255-10.128.0.9", "10.128.0.1-10.129.0.0"):
            self.value("pool", "reserved", wrong, "is not inside the subnet")
        self.value("pool", "reserved", "10.128.9.0-10.128.255.253, 10.128.0.1-10.128.9.7", "leaves no address")

    def test_unreadable_ca_certificates(self):
        right = samples.certificate()
        self.value("ca", "certificate", "not base64!", "is not base64")
        self.value("ca", "certificate", base64.b64encode(b"hello").decode(), "base64 of the DER")
        self.value("ca", "certificate", base64.b64encode(right[:-3]).decode(), "3 bytes are missing")
        self.value("ca", "certificate", base64.b64encode(right + b"x").decode())
        self.value("ca", "certificate", base64.b64encode(samples.certificate(is_ca=False)).decode(), "is not the certificate of a CA")
        self.value("ca", "certificate", None, "is missing", "open = yes")

    def test_no_cut_of_a_certificate_is_ever_taken_for_one(self):
        right = samples.certificate()
        for length in range(len(right)):
            with self.assertRaises(WowError):
                poolconf.read(samples.changed("ca", "certificate", base64.b64encode(right[:length]).decode() or "AA=="))

    def test_wrong_tickets_secrets_names_ports_and_hosts(self):
        for wrong in ("nocolon", ":x", "x:", "a b:c"):
            self.value("ca", "ticket", wrong, "ID:SECRET")
        for wrong in ("ab", "zz" * 32, None):
            self.value("pool", "secret", wrong, "64 hex digits" if wrong else "missing")
        for wrong in ("Science", "-a", "a-", "a.b", "a" * 64, "ä"):
            self.value("pool", "name", wrong, "DNS label")
        self.value("pool", "name", None, "is missing")
        self.value("node", "host", "UPPER", "DNS label")
        self.value("node", "role", "boss", "worker or manager or login")
        self.value("pool", "open", "maybe", "yes or no")
        for wrong in ("0", "65536", "-1", "http", "123456", "AUTO", "auto 4433"):
            self.value("node", "port", wrong, "neither auto nor a port from 1 to 65535")
        for wrong in ("203.0.113.7:4433", "tcp:203.0.113.7:4433", "udp:203.0.113.7", "udp:1.2.3.400:1", "udp:a_b:1", "udp:host:0"):
            self.value("pool", "bootstrap", wrong, "udp:HOST:PORT")
        self.value("pool", "bootstrap", None, "is missing")
        self.value("modules", "names", "../etc", "not the name of a module")

    def test_an_open_pool_with_a_ca_is_contradictory(self):
        self.refused(samples.changed("pool", "open", "yes"), "[ca] certificate", "open")

    def test_wrong_users_and_keys(self):
        parts = samples.sections()
        parts["user:Al ice"] = parts.pop("user:alice")
        self.refused(samples.text(parts).encode(), "[user:Al ice]", "not a user name")
        self.value("user:alice", "authorized-key", "ssh-dss AAAA", "not a kind")
        self.value("user:alice", "authorized-key", "ssh-ed25519", "base64")
        self.value("user:alice", "authorized-key", "ssh-ed25519 " + samples.ssh_key("ssh-rsa").split()[1], "is not a ssh-ed25519 key")
        self.value("user:alice", "authorized-key", 'command="x" ssh-ed25519 AAAA', "not a kind")

    def test_a_project_s_name_sentence_and_link_mean_nothing_to_pages_classads_and_terminals(self):
        for name in ("a|b", "<b>", "$(x)", 'a"b', "a;b", "x" * 65):
            parts = samples.sections()
            parts[f"project:{name}"] = parts.pop("project:storm surge")
            self.refused(samples.text(parts).encode(), f"[project:{name}]", "or others than letters")
        for name in ("project:", "project: surge"):
            parts = samples.sections()
            parts[name] = parts.pop("project:storm surge")
            self.refused(samples.text(parts).encode(), f"[{name}]", "names no project")
        for wrong in ("<b>x</b>", '"', "\\", "a & b", "[ x = 1 ]", "$(x)", "\x1b[31m", "\u202e", "x" * 161):
            self.value("project:storm surge", "says", wrong, "or others than letters")
        self.value("project:storm surge", "says", None, "is missing")
        for wrong in ("javascript:alert(1)", "ftp://example.org/", "https:/example.org", "https://", "https://a_b/", "https://u@example.org/", "https://example.org:x/"):
            self.value("project:storm surge", "link", wrong, "with a host")
        for wrong in ('https://example.org/"', "https://example.org/<b>", "https://example.org/a b", "https://example.org/ü", "https://example.org/&"):
            self.value("project:storm surge", "link", wrong, "other characters than")

    def test_numbers_have_a_tenth_where_their_limits_have_one(self):
        for text, told in (("0.5", "0.5"), ("15", "15"), ("015", "15"), ("7.0", "7"), ("59.9", "59.9"), ("60.0", "60")):
            self.assertEqual(kinds.number(text, ("0.5", "60")), told)
        for text, limits in (*((text, ("0.5", "60")) for text in ("0.4", "60.1", "61", ".5", "5.", "1.25", "1e1", "-1", "+1", "1,5", "nan", "inf", "\u0661", "00015")),
                             ("1.0", ("1", "60")), ("1.5", ("1", "60"))):
            with self.assertRaises(kinds.Wrong, msg=text) as caught:
                kinds.number(text, limits)
            self.assertIn(f"is not a number from {limits[0]} to 60", str(caught.exception))

    def test_files_that_are_no_ini(self):
        self.refused(b"\xff\xfe[\0p\0", "", "UTF-8")
        self.refused(b"[pool]\0\n", "", "zero byte")
        self.refused(b"# " + b"x" * 70000, "", "too many")
        self.refused(b"name = science\n", "name", "before the first section")
        self.refused(b"[pool]\nname science\n", "", "line 2")
        self.refused(b"[pool\n", "", "line 1")
        self.refused(b"[pool]\nname = a\nname = b\n", "[pool] name", "twice")
        self.refused(b"[pool]\nname = a\n[pool]\nname = b\n", "[pool] name", "twice, in line 2 and line 4")
        self.refused(b"", "[pool] name", "is missing")

    def test_a_missing_file_is_told_with_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(WowError) as caught:
            poolconf.load(os.path.join(folder, "pool.conf"))
        self.assertIn("WOWCFG", str(caught.exception))
        self.assertEqual(caught.exception.file, "pool.conf")
