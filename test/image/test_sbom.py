"""The SBOM's documents: what they say of packages, and that others' tools find them sound, and find what is unsound."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from test_module import ROOT

sys.path += [str(ROOT / "appliance/image"), str(ROOT / "appliance/image/sbom"), str(ROOT / "appliance/base")]

import inventory  # noqa: E402
import locked  # noqa: E402
import parts  # noqa: E402
import spdx  # noqa: E402
import terms  # noqa: E402

VALIDATE = ROOT / "test/image/sbom/validate"
ZEROS = "0" * 64
ROW = inventory.Row("libx1", "1:2.0+dfsg-1~deb13u1", "x", "1:2.0+dfsg-1", "Expat; GPL-2+ or Artistic; public-domain", "glibc (= 2.41-12)")
LOCK = locked.Lock({"debian": "20260102T030405Z", "debian-security": "20260102T030405Z"},
                   {"libx1": locked.Package("libx1", ROW.version, "amd64", "optional", ZEROS, "debian/pool/main/x/x/libx1_2.0_amd64.deb")})


def base():
    """A base of one package, as a document."""
    packages, extracted = parts.base([ROW], LOCK, locked.address, "trixie")
    layer = inventory.Layer("base", "base", "base-00.squashfs", "1", ZEROS)
    return spdx.document("wow-base", "wow-1", parts.layer(layer, "1", None, "OPERATING_SYSTEM"), packages, extracted)


class Documents(unittest.TestCase):
    def package(self):
        return next(package for package in json.loads(base())["packages"] if package["name"] == "libx1")

    def test_a_debian_package_says_where_it_and_its_source_lie_and_what_its_bytes_are(self):
        package = self.package()
        self.assertEqual(package["downloadLocation"], "https://snapshot.debian.org/archive/debian/20260102T030405Z/pool/main/x/x/libx1_2.0_amd64.deb")
        self.assertEqual(package["checksums"], [{"algorithm": "SHA256", "checksumValue": ZEROS}])
        self.assertEqual([one["referenceLocator"] for one in package["externalRefs"]],
                         ["pkg:deb/debian/libx1@1:2.0%2Bdfsg-1~deb13u1?arch=amd64&distro=trixie", "pkg:deb/debian/x@1:2.0%2Bdfsg-1?arch=source&distro=trixie"])
        for words in ("x 1:2.0+dfsg-1", "snapshot.debian.org/package/x/1:2.0+dfsg-1/", "glibc (= 2.41-12)"):
            self.assertIn(words, package["sourceInfo"])

    def test_licences_are_spdx_expressions_and_what_has_no_name_there_is_explained(self):
        self.assertEqual(self.package()["licenseDeclared"], "MIT AND (GPL-2.0-or-later OR Artistic-1.0-Perl) AND LicenseRef-Debian-public-domain")
        [one] = json.loads(base())["hasExtractedLicensingInfos"]
        self.assertEqual((one["licenseId"], one["name"]), ("LicenseRef-Debian-public-domain", "public-domain"))
        self.assertIn("/usr/share/doc/libx1/copyright", one["extractedText"])

    def test_the_same_content_gives_the_same_bytes_and_another_one_another_name(self):
        self.assertEqual(base(), base())
        other = spdx.document("wow-base", "wow-2", parts.image("1"), [])
        self.assertNotEqual(json.loads(base())["documentNamespace"], json.loads(other)["documentNamespace"])

    def test_a_package_that_only_one_of_licences_and_lock_knows_stops_it(self):
        with self.assertRaisesRegex(SystemExit, "differ in stray; build it anew: WOW_FRESH=1"):
            parts.base([ROW, ROW._replace(name="stray")], LOCK, locked.address, "trixie")


class Terms(unittest.TestCase):
    def test_debian_names_get_those_of_spdx(self):
        for debian, wanted in (
                ("Expat", "MIT"), ("GPL-2+", "GPL-2.0-or-later"), ("LGPL-2.1", "LGPL-2.1-only"), ("GPLv3+", "GPL-3.0-or-later"), ("GPL-2.0-only", "GPL-2.0-only"),
                ("BSD-3-clause", "BSD-3-Clause"), ("GFDL-NIV-1.3+", "GFDL-1.3-no-invariants-or-later"), ("zlib", "Zlib"),
                ("GPL-3+ with Bison exception", "GPL-3.0-or-later WITH Bison-exception-2.2"),
                ("GPL-1+ or Artistic", "GPL-1.0-or-later OR Artistic-1.0-Perl"), ("Expat and ISC", "MIT AND ISC"), ("Expat or Expat", "MIT"),
                ("GPL-1+ or Artistic, and BSD-3-clause", "(GPL-1.0-or-later OR Artistic-1.0-Perl) AND BSD-3-Clause"),
                ("ISC; GPL-1+ or Artistic, and Zlib; ISC", "ISC AND (GPL-1.0-or-later OR Artistic-1.0-Perl) AND Zlib")):
            with self.subTest(debian):
                made = {}
                self.assertEqual(terms.expression(debian, made), wanted)
                self.assertEqual(made, {})

    def test_what_spdx_does_not_know_or_may_mean_much_gets_a_name_of_its_own(self):
        for debian, wanted in (
                ("GPL", "LicenseRef-Debian-gpl"), ("LGPL-1.1", "LicenseRef-Debian-lgpl-1.1"), ("GPL-2+ with OpenSSL exception", "LicenseRef-Debian-gpl-2-or-later-with-openssl-exception"),
                ("Permission to use, copy, and modify", "LicenseRef-Debian-permission-to-use-copy-and-modify"), ("see its copyright file", "LicenseRef-Debian-see-its-copyright-file")):
            with self.subTest(debian):
                made = {}
                self.assertEqual(terms.expression(debian, made), wanted)
                self.assertEqual(made, {wanted: debian})


class Validated(unittest.TestCase):
    def said(self, documents):
        """(how it ended, what was said of each document)."""
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, f"{number}.spdx.json") for number in range(len(documents))]
            for file, content in zip(files, documents):
                file.write_bytes(content)
            done = subprocess.run([VALIDATE, *files], capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "")
            return done.returncode, ["\n".join(line for line in done.stdout.splitlines() if line.startswith(f"{file}: ")) for file in files]

    def test_what_we_write_is_sound(self):
        content = base()
        outer = spdx.document("wow-image", "wow-1", parts.image("1"), [], (), [("base", content, "SPDXRef-Package-wow-base-1")])
        self.assertEqual(self.said([content, outer]), (0, ["", ""]))

    def test_what_is_unsound_is_refused(self):
        good = base()
        cases = (
            (b'"dataLicense"', b'"datalicense"', "dataLicense"), (b'"SHA256"', b'"SHA257"', "SHA257"), (b"OPERATING_SYSTEM", b"OPERATING-SYSTEM", "OPERATING-SYSTEM"),
            (b'"licenseDeclared": "MIT AND', b'"licenseDeclared": "MTI AND', "MTI"), (b"Artistic-1.0-Perl)", b"Artistic-1.0-Perl", "licenseDeclared"),
            (b'"licenseId": "LicenseRef-Debian-public-domain"', b'"licenseId": "LicenseRef-other"', "public-domain"),
            (b'"relatedSpdxElement": "SPDXRef-Package-libx1', b'"relatedSpdxElement": "SPDXRef-Package-libx2', "which is nowhere"),
            (b'"DESCRIBES"', b'"CONTAINS"', "describes nothing"), (b'"SPDXRef-Package-wow-base-1"', b'"SPDXRef-DOCUMENT"', "stands for 2 things"),
            (good[-100:], b"", "is no JSON"))
        for old, _, _ in cases:
            self.assertIn(old, good)
        code, said = self.said([good.replace(old, new) for old, new, _ in cases])
        self.assertEqual(code, 1)
        for (_, new, words), text in zip(cases, said):
            with self.subTest(new):
                self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
