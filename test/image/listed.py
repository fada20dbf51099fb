"""Everything in the image is on the list of licences: of each layer, of the partitions beside them and of the initrd, every file has an owner that is on it."""

import functools
import os
import re
import subprocess

from checks import check, expect, run
from contents import layers, mounted
from places import OUT, PARTS, ROOT, WORK

MIB = 1024 * 1024
ESP, SYSTEM = 2 * MIB, 64 * MIB
# What Debian's packages and our hooks make when they are installed: settings of this machine, and what is computed from packages' files.
MADE = re.compile(r"etc/.*|var/(\.updated|lib/shells\.state|(lib/(apt|dpkg|pam|python|ucf|systemd|wtmpdb)|cache|log)/.*)|usr/lib/modules/[^/]+/modules\.[a-z.]+"
                  r"|usr/bin/(awk|nawk|mt|pager|which)|usr/share/wow/licences\.txt|usr/sbin/rmt|usr/lib/locale/.*|usr/share/info/dir")
MADE_IN_NODE = ("usr/lib/systemd/system/ipopd.service", "usr/lib/wow/base.json", "usr/lib/wow/ipopd/ipopd", "usr/lib/wow/ca/wow-ca")
"""What appliance/image/node-layer makes itself."""
OURS = re.compile(r"usr/lib/wow/dotnet/(ipopd|wow-ca)(\.dll|\.runtimeconfig\.json)?|usr/lib/wow/dotnet/programs\.r2r\.dll|usr/share/doc/wow/.*")


@functools.cache
def listed():
    """{package: its fields} of the list."""
    rows = [row.split("\t") for row in (OUT / "licences.txt").read_text().splitlines() if row.count("\t") == 5]
    return {row[0]: row for row in rows[1:]}


def files_of(tree):
    """Paths below a folder of all that is no folder."""
    for folder, _, names in os.walk(tree):
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), tree)


def merged(path):
    """A package's path with /usr merged."""
    head, _, rest = path.strip("/").partition("/")
    return f"usr/{head}/{rest}" if head in ("bin", "sbin", "lib", "lib64") else path.strip("/")


def debian_owners(tree):
    """{file: package} of all that dpkg unpacked."""
    owners = {}
    for file in (tree / "var/lib/dpkg/info").glob("*.list"):
        package = file.name.removesuffix(".list").partition(":")[0]
        owners |= dict.fromkeys(map(merged, file.read_text().splitlines()), package)
    return owners


def owner_of(path, owners):
    """The package of a file, also of what is made of a packaged one: an unpacked kernel module, compiled Python."""
    source = re.sub(r"__pycache__/([^/]+)\.cpython-[0-9]+\.pyc$", r"\1.py", path)
    return owners.get(path) or owners.get(source) or (owners.get(f"{path}.xz") if path.endswith(".ko") else None)


@check
def every_file_of_the_base_is_of_a_package_on_the_list():
    with mounted(PARTS / "layers/base.squashfs") as tree:
        owners = debian_owners(tree)
        found = {path: owner_of(path, owners) for path in files_of(tree)}
        strays = [path for path, owner in found.items() if owner is None and not MADE.fullmatch(path)]
        expect(not strays, f"of no package: {strays[:20]}")
        packages = set(filter(None, found.values()))
        expect(packages <= set(listed()), f"not on the list: {packages - set(listed())}")
        status = (tree / "var/lib/dpkg/status").read_text()
        for stanza in status.split("\n\n"):
            fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", stanza, re.MULTILINE))
            for source in re.findall(r"\S+ \(= \S+\)", fields.get("Built-Using", "") + ", " + fields.get("Static-Built-Using", "")):
                expect(source in listed()[fields["Package"]][5], f"{fields['Package']} contains {source}, and the list does not say so")


def assemblies():
    """{file of the programs: NuGet package on the list}, as the packages on this machine have them."""
    store = os.environ.get("NUGET_PACKAGES") or os.path.expanduser("~/.nuget/packages")
    return {file: name for name, fields in listed().items() for place in [os.path.join(store, name.lower(), fields[1])] if os.path.isdir(place)
            for file in map(os.path.basename, files_of(place))}


@check
def every_file_of_the_nodes_layer_is_ours_or_of_a_package_on_the_list():
    known = assemblies()
    projects = {project.stem + ".dll" for part in ("ipop", "ca-service") for project in (ROOT / part).rglob("*.csproj")}
    expect("wow" in listed() and "Microsoft.NETCore.App.Host.linux-x64" in listed(), "our own programs are not on the list")
    with mounted(PARTS / "layers/node.squashfs") as tree:
        for path in files_of(tree):
            name = os.path.basename(path)
            source = re.sub(r"\.pyc$", ".py", path)
            is_ours = (OURS.fullmatch(path) or any(os.path.lexists(ROOT / place / source) for place in ("appliance/node/root", "appliance/image/root"))
                       or path.startswith("etc/systemd/system/") or path in MADE_IN_NODE)
            expect(is_ours or path.startswith("usr/lib/wow/dotnet/") and (name in known or name in projects), f"{path} is of nobody on the list")
        for text in ("Microsoft.NETCore.App.Runtime.linux-x64.LICENSE.TXT", "Microsoft.NETCore.App.Runtime.linux-x64.THIRD-PARTY-NOTICES.TXT"):
            expect((tree / "usr/share/doc/wow/dotnet" / text).stat().st_size > 500, f"{text} is not there")
        for name in set(known.values()):
            expect((tree / f"usr/share/doc/wow/dotnet/{name}.nuspec").exists(), f"{name} is not there with its own words")


@check
def every_module_names_its_licence():
    for layer in layers()[2:]:
        name = layer.rpartition("/")[2].removesuffix(".squashfs")
        with mounted(layer) as tree:
            files = set(files_of(tree))
        manifest = f"usr/lib/wow/modules/{name}/manifest.json"
        expect(manifest in files and listed()[name][4], f"{name} is not on the list")


@check
def beside_the_layers_there_is_grub_the_kernel_the_initrd_and_the_list():
    raw = WORK / "listed.raw"
    run("qemu-img", "convert", "-O", "raw", OUT / "wow.qcow2", raw)
    files = {line.removeprefix("::/") for line in run("mdir", "-b", "-/", "-i", f"{raw}@@{ESP}", "::").splitlines() if not line.endswith("/")}
    expect(files == {"grub/grub.cfg", "grub/grubenv", "EFI/BOOT/BOOTX64.EFI", "EFI/BOOT/grubx64.efi", "EFI/debian/grub.cfg", "grub/x86_64-efi/hashsum.mod"},
           f"WOWESP holds {sorted(files)}")
    for name, licence, compiled in (("grub-pc-bin", "GPL-3+", ""), ("grub-efi-amd64-bin", "GPL-3+", ""), ("grub-efi-amd64-signed", "GPL-3+", "grub2 (= "), ("shim-signed", "OpenSSL", "shim (= ")):
        version = run("dpkg-query", "-W", "-f", "${Version}", name)
        expect(listed()[name][1] == version and licence in listed()[name][4] and compiled in listed()[name][5], f"{name} {version} is in the image, the list says {listed()[name]}")
    system = run("debugfs", "-R", "ls -p /", f"{raw}?offset={SYSTEM}") + run("debugfs", "-R", "ls -p /licences", f"{raw}?offset={SYSTEM}")
    names = {line.split("/")[5] for line in system.splitlines() if line.count("/") > 6} - {".", ".."}
    texts = {f"{package}.copyright" for package in ("grub-pc-bin", "grub-efi-amd64-bin", "grub-efi-amd64-signed", "shim-signed")}
    expect(names == {"lost+found", "stacks", "layers", "boot", "licences.txt", "sbom", "licences", *texts}, f"WOWSYS holds {names}")
    booted = {line.split("/")[5] for line in run("debugfs", "-R", "ls -p /boot/A", f"{raw}?offset={SYSTEM}").splitlines() if line.count("/") > 6} - {".", ".."}
    expect(booted == {"vmlinuz", "initrd.img", "SHA256SUMS", "CRC32"}, f"WOWSYS:/boot/A holds {booted}")
    expect(run("debugfs", "-R", "cat /licences.txt", f"{raw}?offset={SYSTEM}").startswith((OUT / "licences.txt").read_text()), "the list in WOWSYS is another one")
    raw.unlink()


@check
def the_initrd_holds_busybox_drivers_and_our_scripts():
    drivers = {path.name for path in (PARTS / "base/modules").rglob("*.ko")}
    packed = subprocess.run(["lz4", "-d", "-q", "-c", PARTS / "initrd.img"], check=True, capture_output=True).stdout
    for name in subprocess.run(["cpio", "-t", "--quiet"], input=packed, check=True, capture_output=True).stdout.decode().split():
        folder, _, file = name.rpartition("/")
        ours = ROOT / "appliance/initrd" / file
        expect(folder in ("", "bin", "dev") or (folder == "lib" and ours.exists()) or (folder == "modules" and (file.removesuffix(".gz") in drivers or file.endswith(".list"))),
               f"{name} is of nobody on the list")
    expect("glibc" in listed()["busybox-static"][5], "the list does not say what busybox contains")
