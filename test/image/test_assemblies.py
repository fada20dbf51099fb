"""The programs by assembly, from a map as Crossgen2 writes it."""

import pathlib
import subprocess
import tempfile
import unittest

from test_module import tool

TOOL = pathlib.Path(__file__).resolve().parents[2] / "appliance/image/assemblies"
assemblies = tool(TOOL)
MAP = """\
Rva,Length,Relocs,Section,Symbol,Node Type
0x00010400,888,0,.text,____Win32Resources,Win32ResourcesNode
0x00013860,57,0,.text,Ipop_Ipop_Arp___ctor,MethodWithGCInfo
0x000138A0,20,0,.text,Ipop_Linux_Ipop_Linux_Tap__Read,MethodWithGCInfo
0x000138C0,5,0,.text,S_P_CoreLib_System_Collections_Dictionary_2<System___Canon, System___Canon>__Add,MethodWithGCInfo
0x000138D0,9,0,.text,S_P_CoreLib_System_String__Concat,MethodWithGCInfo
0x000427E8,,,.data,,DelayLoadHelperImport(DelayLoad_Helper) -> Ipop_Ipop_Arp, of what
0x00050918,511944,0,.text,RuntimeFunctionsGCInfo,RuntimeFunctionsGCInfoNode
"""


class ByAssembly(unittest.TestCase):
    def test_code_counts_for_the_assembly_whose_name_its_symbol_begins_with(self):
        code, tables = assemblies.code_of(MAP.splitlines(True), ["Ipop", "Ipop.Linux", "System.Private.CoreLib", "Unused"])
        self.assertEqual({"Ipop": 57, "Ipop.Linux": 20, "System.Private.CoreLib": 14, "Unused": 0}, code)
        self.assertEqual({"Win32ResourcesNode": 888, "RuntimeFunctionsGCInfoNode": 511944}, tables)

    def run_tool(self, text, names=("Ipop", "System.Private.CoreLib", "programs.r2r")):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "map.csv")
            if text is not None:
                place.write_text(text, encoding="utf-8")
            for name in names:
                pathlib.Path(folder, f"{name}.dll").write_bytes(bytes(100))
            return subprocess.run([TOOL, place, folder], capture_output=True, text=True, check=False)

    def test_the_largest_comes_first_and_the_tables_last(self):
        # Ipop.Linux is not there, so what begins like Ipop is Ipop's.
        self.assertEqual("77 100 Ipop\n14 100 System.Private.CoreLib\n511944 0 (RuntimeFunctionsGCInfoNode)\n888 0 (other tables)\n", self.run_tool(MAP).stdout)

    def test_what_is_no_map_is_refused(self):
        for text, word in (("", "its first line is not"), ("Length,Count\n", "its first line is not"), (MAP + "0x1,2\n", "not a line of a map"),
                           (MAP + "0x1,two,0,.text,x,y\n", "invalid literal"), (None, "No such file")):
            done = self.run_tool(text)
            self.assertNotEqual(0, done.returncode)
            self.assertIn(word, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_a_map_of_other_programs_is_refused(self):
        self.assertIn("other assemblies", self.run_tool(MAP, names=("Else",)).stderr)


if __name__ == "__main__":
    unittest.main()
