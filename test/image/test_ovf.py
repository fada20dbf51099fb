"""The OVA's descriptor, as its template and the project's words make it."""

import pathlib
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "appliance/image/formats"))

import ovf  # noqa: E402

VALUES = dict.fromkeys(("SYSTEM_SIZE", "SYSTEM_CAPACITY", "HOME_SIZE", "HOME_CAPACITY", "CONFIG_SIZE", "CONFIG_CAPACITY"), 1) | {"VERSION": "1.0", "VENDOR": "we"}


class Descriptor(unittest.TestCase):
    def product(self, address):
        tree = xml.fromstring(ovf.render({**VALUES, "URLS": ovf.urls(address)}).encode())
        return {child.tag.partition("}")[2]: child.text for child in tree.find(".//{*}ProductSection")}

    def test_it_names_the_address_that_the_project_states(self):
        found = self.product("https://wow.example/")
        self.assertEqual(list(found), ["Info", "Product", "Vendor", "Version", "ProductUrl", "VendorUrl"])
        self.assertEqual((found["ProductUrl"], found["VendorUrl"]), ("https://wow.example/",) * 2)

    def test_without_an_address_it_names_none(self):
        self.assertEqual(list(self.product(None)), ["Info", "Product", "Vendor", "Version"])

    def test_what_no_browser_opens_is_refused(self):
        for address in ("wow.example", "file:///x", "https://a b/", 'https://x/"><a', ""):
            with self.assertRaisesRegex(ValueError, "PackageProjectUrl"):
                ovf.urls(address)

    def test_a_value_that_is_missing_is_named(self):
        with self.assertRaisesRegex(ValueError, "URLS"):
            ovf.render(VALUES)


if __name__ == "__main__":
    unittest.main()
