"""The composite without the tables that nothing reads, from a file laid out as Crossgen2 lays one out."""

import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "appliance/image/composite.py"
sys.path.insert(0, str(TOOL.parent))

import composite  # noqa: E402

FIRST, PLACE = 0x10000, 0x400
"""Where the only section of the file is in memory, and in the file."""
RUNTIME_FUNCTIONS, DEBUG, INLINING, COMPONENTS = 102, 105, 114, 115
BYTES = {RUNTIME_FUNCTIONS: b"functions", DEBUG: b"debug information", INLINING: b"inlined", 113: b"attributes"}


class Made:
    """A composite of one assembly with the sections that it is told."""

    def __init__(self, own, component):
        self.body = bytearray()
        self.places = {}
        core = self.header([self.section(kind) for kind in component])
        pair = self.put(struct.pack("<4I", 0, 0, core, 8 + 12 * len(component)))
        sections = [self.section(kind) for kind in own] + [(COMPONENTS, pair, 16)]
        self.main = self.header(sections, b"RTR\0" + struct.pack("<2H", 9, 0))
        name = self.put(b"RTR_HEADER\0")
        other = self.put(b"RTR_HEADER_OF_ANOTHER\0")
        names = self.put(struct.pack("<2I", other, name))
        ordinals = self.put(struct.pack("<2H", 1, 0))
        functions = self.put(struct.pack("<2I", self.main, 0))
        self.exports = self.put(bytes(20) + struct.pack("<5I", 2, 2, functions, names, ordinals))

    def put(self, data):
        self.body += bytes(-len(self.body) % 4)
        at = FIRST + len(self.body)
        self.body += data
        return at

    def section(self, kind):
        at = self.put(BYTES[kind])
        self.places.setdefault(kind, []).append(at)
        return kind, at, len(BYTES[kind])

    def header(self, sections, before=b""):
        return self.put(before + struct.pack("<2I", 0, len(sections)) + b"".join(struct.pack("<3I", *one) for one in sections))

    def file(self):
        optional = struct.pack("<H", 0x20B) + bytes(110) + struct.pack("<2I", self.exports, 40) + bytes(120)
        head = bytearray(b"MZ" + bytes(0x3A) + struct.pack("<I", 0x80))
        head += bytes(0x80 - len(head)) + b"PE\0\0" + struct.pack("<2H3I2H", 0x8664, 1, 0, 0, 0, len(optional), 0) + optional
        head += b".data".ljust(8, b"\0") + struct.pack("<4I", len(self.body), FIRST, len(self.body), PLACE) + bytes(16)
        return bytes(head.ljust(PLACE, b"\0") + self.body)


def kinds(data, made, rva):
    place = PLACE + rva - FIRST
    count = struct.unpack_from("<I", data, place + 4)[0]
    return [struct.unpack_from("<3I", data, place + 8 + 12 * one) for one in range(count)]


class WithoutTables(unittest.TestCase):
    def setUp(self):
        self.made = Made([RUNTIME_FUNCTIONS, DEBUG], [113, INLINING])

    def test_no_header_names_them_and_their_bytes_are_zeros(self):
        data, taken = composite.without_tables(self.made.file())
        self.assertEqual({DEBUG: 17, INLINING: 7}, taken)
        self.assertEqual([RUNTIME_FUNCTIONS, COMPONENTS], [kind for kind, _, _ in kinds(data, self.made, self.made.main + 8)])
        self.assertNotIn(b"debug information", data)
        self.assertNotIn(b"inlined", data)

    def test_all_else_stays_where_it_was(self):
        before = self.made.file()
        data, _ = composite.without_tables(before)
        self.assertEqual(len(before), len(data))
        for kind in (RUNTIME_FUNCTIONS, 113):
            place = PLACE + self.made.places[kind][0] - FIRST
            self.assertEqual(BYTES[kind], data[place:place + len(BYTES[kind])])

    def test_a_composite_without_such_a_table_is_an_error_that_names_it(self):
        for own, component, word in (([RUNTIME_FUNCTIONS], [INLINING], "DebugInfoTableNode"), ([DEBUG], [113], "InliningInfoNode")):
            with self.assertRaisesRegex(composite.CompositeError, word):
                composite.without_tables(Made(own, component).file())

    def test_a_file_cut_anywhere_is_an_error_and_no_other_exception(self):
        whole = self.made.file()
        for length in range(0, len(whole) - 1, 3):
            with self.assertRaises(composite.CompositeError):
                composite.without_tables(whole[:length])

    def test_a_file_of_another_kind_is_named_and_stays_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "programs.r2r.dll")
            file.write_bytes(b"MZ" + bytes(500))
            done = subprocess.run([TOOL, file], capture_output=True, text=True, check=False)
            self.assertNotEqual(0, done.returncode)
            self.assertIn(str(file), done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(b"MZ" + bytes(500), file.read_bytes())


if __name__ == "__main__":
    unittest.main()
