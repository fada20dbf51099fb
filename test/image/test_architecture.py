"""What differs between the architectures: names, boot loader, console, programs; and that arm64's recipe of the base follows amd64's."""

import os
import pathlib
import plistlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from test_module import ROOT, tool

sys.path[:0] = [str(ROOT / "appliance/image" / folder) for folder in ("formats", "sbom", "")]

import inventory  # noqa: E402
import parts as sbom  # noqa: E402

install = tool(ROOT / "appliance/image/boot/install")
recipe = tool(ROOT / "appliance/base-arm64/recipe")
initrd = tool(ROOT / "appliance/initrd/build")
contents = tool(ROOT / "appliance/image/formats/contents.py")
utm = tool(ROOT / "appliance/image/formats/utm")
architecture = install.architecture
BASE = ROOT / "appliance/base"


class Named(unittest.TestCase):
    def said(self, name):
        environment = {key: value for key, value in os.environ.items() if key != "WOW_ARCH"} | ({"WOW_ARCH": name} if name else {})
        return subprocess.run([ROOT / "appliance/image/architecture.py"], env=environment, capture_output=True, text=True, check=False)

    def test_nothing_said_is_amd64_with_the_names_that_it_has_always_had(self):
        for name in ("", "amd64"):
            lines = self.said(name).stdout.splitlines()
            for line in ("arch=amd64", "arch_work=build/image", "arch_out=build/out", "arch_image=wow-amd64", "arch_base=appliance/base/build", "arch_publish=build/publish",
                         "arch_runtime=linux-x64", "arch_crossgen=--instruction-set:x86-64-v3", "arch_console=ttyS0"):
                self.assertIn(line, lines)

    def test_arm64_shares_no_folder_and_no_name_with_amd64(self):
        one, other = (dict(line.split("=", 1) for line in self.said(name).stdout.splitlines()) for name in architecture.ALL)
        self.assertEqual(set(one), set(other))
        self.assertEqual([key for key in one if one[key] == other[key]], [])
        self.assertEqual((other["arch_image"], other["arch_console"], other["arch_runtime"]), ("wow-arm64", "ttyAMA0", "linux-arm64"))

    def test_another_name_is_refused_with_those_that_there_are(self):
        done = self.said("riscv64")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no image for riscv64; say ARCH=amd64 or ARCH=arm64", done.stderr)


class Booted(unittest.TestCase):
    def test_firmware_starts_debian_s_shim_by_the_name_of_the_architecture_and_that_the_signed_grub(self):
        for name, shim, first, grub, second in (("amd64", "shimx64.efi.signed", "BOOTX64.EFI", "x86_64-efi", "grubx64.efi"),
                                                ("arm64", "shimaa64.efi.signed", "BOOTAA64.EFI", "arm64-efi", "grubaa64.efi")):
            one = architecture.ALL[name]
            root = architecture.loader(one)
            self.assertEqual(install.esp(one), {
                f"EFI/BOOT/{first}": root / "usr/lib/shim" / shim,
                f"EFI/BOOT/{second}": root / "usr/lib/grub" / f"{grub}-signed" / f"{second}.signed",
                "EFI/debian/grub.cfg": ROOT / "appliance/image/boot/efi.cfg",
                f"grub/{grub}/hashsum.mod": root / f"usr/lib/grub/{grub}/hashsum.mod"})
            self.assertEqual(contents.LOADERS[first], name)

    def test_the_serial_console_is_the_architecture_s(self):
        text = (ROOT / "appliance/image/boot/grub.cfg").read_text(encoding="utf-8")
        self.assertEqual(install.script(architecture.ALL["amd64"]), text)
        changed = install.script(architecture.ALL["arm64"])
        self.assertEqual(re.findall(r"console=\S+", changed), ["console=tty0", "console=ttyAMA0,115200"])
        self.assertEqual(changed.replace("ttyAMA0", "ttyS0"), text)

    def test_the_initrd_leaves_out_the_drivers_that_another_architecture_has(self):
        with tempfile.TemporaryDirectory() as folder:
            modules = pathlib.Path(folder, "modules")
            modules.mkdir()
            lines = [line for line in (ROOT / "appliance/initrd/modules.list").read_text().splitlines() if not line.startswith("#")]
            words = [word for line in lines for word in line.partition(":")[2].split()]
            (modules / "modules.builtin").write_text("")

            def sets(arch, names):
                (modules / "modules.dep").write_text("".join(f"kernel/{name}.ko:\n" for name in sorted(set(names))))
                return {name: files for name, files, _ in initrd.module_sets(pathlib.Path(folder), arch)}

            every = sets("amd64", [word.partition("@")[0] for word in words])
            arm64 = sets("arm64", [word for word in words if "@" not in word])
        self.assertEqual(every["vmware"], ["kernel/vmw_pvscsi.ko", "kernel/sd_mod.ko"])
        self.assertEqual(arm64["vmware"], ["kernel/sd_mod.ko"])
        self.assertEqual(set(every), set(arm64))


class Recipe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "recipe")

    def test_it_is_amd64_s_but_for_what_is_said_and_names_amd64_nowhere(self):
        recipe.make(self.folder)
        same = {str(file.relative_to(BASE)) for file in BASE.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
        made = {str(file.relative_to(self.folder / "base")) for file in (self.folder / "base").rglob("*") if file.is_file()}
        self.assertEqual(same, made)
        for name in same:
            one, other = BASE / name, self.folder / "base" / name
            self.assertEqual(one.read_bytes() == other.read_bytes(), name not in recipe.CHANGES, name)
            self.assertEqual(one.stat().st_mode, other.stat().st_mode, name)
            self.assertNotRegex(other.read_text(encoding="utf-8"), r"amd64|x86_64|libipsec", name)
        self.assertEqual((self.folder / "layers/squash").read_bytes(), (ROOT / "appliance/layers/squash").read_bytes())

    def test_text_of_amd64_s_recipe_that_is_not_there_any_more_stops_the_build(self):
        with unittest.mock.patch.dict(recipe.CHANGES, {"record": [("of-yore", "", 1)]}):
            with self.assertRaisesRegex(recipe.RecipeError, "appliance/base/record has 'of-yore' 0 times"):
                recipe.make(self.folder)


class Programs(unittest.TestCase):
    def test_the_runtime_whose_licences_are_listed_is_the_architecture_s(self):
        for name, runtime in (("amd64", "linux-x64"), ("arm64", "linux-arm64")):
            with unittest.mock.patch.dict(os.environ, {"WOW_ARCH": name}):
                licences = tool(ROOT / "appliance/image/dotnet-licences")
            self.assertEqual((licences.HOST, licences.RUNTIME), (f"Microsoft.NETCore.App.Host.{runtime}", f"Microsoft.NETCore.App.Runtime.{runtime}"))

    def test_the_host_of_another_architecture_is_the_newest_that_was_fetched(self):
        with unittest.mock.patch.dict(os.environ, {"WOW_ARCH": "arm64"}), tempfile.TemporaryDirectory() as folder:
            licences = tool(ROOT / "appliance/image/dotnet-licences")
            for version in ("10.0.9", "10.0.12"):
                pathlib.Path(folder, licences.HOST.lower(), version).mkdir(parents=True)
            self.assertEqual(licences.host(pathlib.Path(folder)).name, "10.0.12")


class Fetched(unittest.TestCase):
    def test_each_package_of_a_boot_loader_that_was_fetched_is_on_the_list_with_what_was_compiled(self):
        boot = {"grub-signed": "grub-bin", "shim-signed": "shim-bin"}
        with tempfile.TemporaryDirectory() as folder:
            for name, compiled in boot.items():
                tree = pathlib.Path(folder, name)
                (tree / "DEBIAN").mkdir(parents=True)
                (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 2\nArchitecture: arm64\nMaintainer: x\nDescription: x\n"
                                                     f"Built-Using: {compiled} (= 1)\n")
                subprocess.run(["dpkg-deb", "--build", tree, pathlib.Path(folder, f"{name}_2_arm64.deb")], check=True, capture_output=True)
                text = pathlib.Path(folder, "usr/share/doc", compiled, "copyright")
                text.parent.mkdir(parents=True)
                text.write_text(f"License: {compiled}-1\n")
            with unittest.mock.patch.multiple(inventory, CHOSEN=architecture.ALL["arm64"], BOOT=boot, LOADER=pathlib.Path(folder)):
                rows = inventory.boot_loader()
                self.assertEqual([sbom.fetched(row)[1] for row in rows], ["arm64", "arm64"])
        self.assertEqual([tuple(row) for row in rows], [("grub-signed", "2", "grub-signed", "2", "grub-bin-1", "grub-bin (= 1)"),
                                                        ("shim-signed", "2", "shim-signed", "2", "shim-bin-1", "shim-bin (= 1)")])


class Utm(unittest.TestCase):
    def test_the_folder_has_the_disk_that_its_settings_name_for_a_machine_with_uefi(self):
        with tempfile.TemporaryDirectory() as folder:
            disk, out = pathlib.Path(folder, "wow.qcow2"), pathlib.Path(folder, "WOW.utm")
            disk.write_bytes(b"QFI\xfb")
            for _ in range(2):
                utm.make(disk, out)
            told = plistlib.loads((out / "config.plist").read_bytes())
            self.assertEqual((out / "Data" / told["Drive"][0]["ImageName"]).read_bytes(), b"QFI\xfb")
        self.assertEqual((told["System"]["Architecture"], told["System"]["Target"], told["QEMU"]["UEFIBoot"]), ("aarch64", "virt", True))


if __name__ == "__main__":
    unittest.main()
