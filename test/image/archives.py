"""The image's files: OVA, boxes, qcow2, checksums, and what `stamp` makes of them."""

import json
import shutil
import tarfile
import xml.etree.ElementTree as xml

import ovf
from checks import check, expect, run
from places import IMAGE, OUT, POOL_CONF, ROOT, WORK

OVF = "{http://schemas.dmtf.org/ovf/envelope/1}"
STAMP = IMAGE / "stamp"
HOME_CAPACITY = 64 << 30
"""Bytes: as much as a home may ever fill. The disk is thin."""


def verify_ova(path):
    """Everything that a reader of the OVA relies on; returns the open descriptor's tree."""
    with open(path, "rb") as file:
        expect(file.read(265)[257:263] == b"ustar\0", "not a ustar archive")
    with tarfile.open(path) as tar:
        names = tar.getnames()
        expect(names == ["wow.ovf", "wow.mf", *ovf.DISKS], f"order of members: {names}")
        tar.extractall(WORK / "ova")
        sizes = {member.name: member.size for member in tar}
    folder = WORK / "ova"
    digests = ovf.parse_manifest((folder / "wow.mf").read_text())
    expect(set(digests) == {"wow.ovf", *ovf.DISKS}, f"manifest lists {sorted(digests)}")
    for name, digest in digests.items():
        expect(ovf.digest_of(folder / name) == digest, f"SHA-256 of {name} is not the manifest's")
    run("xmllint", "--noout", "--nonet", folder / "wow.ovf")
    tree = xml.parse(folder / "wow.ovf").getroot()
    files = {file.get(OVF + "id"): file for file in tree.iter(OVF + "File")}
    expect([file.get(OVF + "href") for file in files.values()] == names[2:], "References are not in the archive's order")
    for file in files.values():
        expect(int(file.get(OVF + "size")) == sizes[file.get(OVF + "href")], f"ovf:size of {file.get(OVF + 'href')}")
    for disk in tree.iter(OVF + "Disk"):
        name = files[disk.get(OVF + "fileRef")].get(OVF + "href")
        info = json.loads(run("qemu-img", "info", "--output=json", folder / name))
        expect(info["virtual-size"] == int(disk.get(OVF + "capacity")), f"ovf:capacity of {name}")
        expect(info["format-specific"]["data"]["create-type"] == "streamOptimized", f"{name} is not streamOptimized")
    forwarded = sorted((rule.get("hostip"), rule.get("proto"), rule.get("hostport"), rule.get("guestport")) for rule in tree.iter(OVF + "Forwarding"))
    expect(forwarded == [("127.0.0.1", "1", "4422", "22"), ("127.0.0.1", "1", "4480", "80")], f"VirtualBox's NAT forwards {forwarded}")
    return tree


def config_of(disk):
    """The pool.conf on a configuration disk in any format."""
    raw = WORK / "config.raw"
    run("qemu-img", "convert", "-O", "raw", disk, raw)
    return run("mtype", "-i", raw, "::/pool.conf")


def pool_conf():
    path = WORK / "pool.conf"
    path.write_text(POOL_CONF)
    return path


@check
def checksums_and_manifest_name_every_file():
    run("sh", "-c", f"cd {OUT} && sha256sum --check --strict SHA256SUMS")
    listed = {line.split()[1] for line in (OUT / "SHA256SUMS").read_text().splitlines()}
    ends = (".qcow2", ".ova", ".vhdx", ".ps1", "-libvirt.box", "-virtualbox.box")
    wanted = {"licences.txt", "packages.lock", *(f"wow-amd64{end}" for end in ends), *(file.name for file in OUT.glob("*.spdx.json"))}
    expect(wanted <= listed, f"SHA256SUMS lacks {wanted - listed}")
    files = {file["name"] for build in json.loads((OUT / "manifest.json").read_text())["builds"] for file in build["files"]}
    expect(wanted <= files, f"manifest.json lacks {wanted - files}")


@check
def qcow2_is_sound():
    run("qemu-img", "check", OUT / "wow.qcow2")


@check
def ova_is_what_hypervisors_read():
    tree = verify_ova(OUT / "wow.ova")
    items = {item.findtext("{*}InstanceID"): item for item in tree.iter(OVF + "Item")}
    disks = [item for item in items.values() if item.findtext("{*}ResourceType") == "17"]
    expect(len(disks) == 3, f"{len(disks)} disks")
    (home,) = [disk for disk in tree.iter(OVF + "Disk") if disk.get(OVF + "fileRef") == "file-home"]
    expect(home.get(OVF + "capacity") == str(HOME_CAPACITY), f"the home's disk has {home.get(OVF + 'capacity')} bytes")
    drives = [item for item in items.values() if item.findtext("{*}ResourceType") == "15"]
    expect(len(drives) == 1, f"{len(drives)} CD drives, for a pool's CD")
    for disk in disks + drives:
        parent = items[disk.findtext("{*}Parent")]
        expect(parent.findtext("{*}ResourceSubType") == "vmware.sata.ahci", "a disk does not hang on AHCI: the kernel has no LSI driver")
    run("mdir", "-i", config_raw_of_ova(), "::")


def config_raw_of_ova():
    run("qemu-img", "convert", "-O", "raw", WORK / "ova/wowcfg.vmdk", WORK / "empty.raw")
    return WORK / "empty.raw"


@check
def ova_fixes_no_network_address_and_says_what_it_is_and_what_to_do():
    text = (WORK / "ova/wow.ovf").read_text()
    expect("MACAddress" not in text, "a network address is in it: VirtualBox keeps it, and two bridged machines are one")
    tree = xml.fromstring(text)
    kind = tree.find(".//{*}OperatingSystemSection")
    expect(kind.get("{http://www.vmware.com/schema/ovf}osType") == "otherLinux64Guest", "hardware version vmx-10 knows no newer Debian")
    fields = [child.tag.partition("}")[2] for child in tree.find(".//{*}ProductSection")]
    address = xml.parse(ROOT / "Directory.Build.props").findtext(".//PackageProjectUrl")
    expect(fields == ["Info", "Product", "Vendor", "Version", *(["ProductUrl", "VendorUrl"] if address else [])], f"the product's fields: {fields}")
    for field in fields[1:]:
        value = tree.findtext(f".//{{*}}ProductSection/{{*}}{field}")
        expect(value == address if field.endswith("Url") else value, f"{field}: {value}")
    lines = tree.findtext(".//{*}AnnotationSection/{*}Annotation").splitlines()
    expect(len(lines) == 3 and "It is in its pool" in lines[0], f"the annotation: {lines}")


@check
def the_same_parts_give_the_same_files():
    again = WORK / "again"
    run(IMAGE / "assemble", again)
    for line in (OUT / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        expect(ovf.digest_of(again / name) == digest, f"{name} is another one when it is made again")
    shutil.rmtree(again)


@check
def boxes_hold_what_vagrant_wants():
    with tarfile.open(OUT / "wow-libvirt.box") as box:
        expect("base_mac" not in box.extractfile("Vagrantfile").read().decode(), "two machines on one network would have one address")
        about = json.loads(box.extractfile("metadata.json").read())
        expect(about["provider"] == "libvirt" and about["format"] == "qcow2", f"metadata {about}")
        for disk in about["disks"]:
            expect(box.extractfile(disk["path"]).read(4) == b"QFI\xfb", f"{disk['path']} is not a qcow2")
    with tarfile.open(OUT / "wow-virtualbox.box") as box:
        expect(json.loads(box.extractfile("metadata.json").read()) == {"provider": "virtualbox"}, "metadata")
        expect("base_mac" in box.extractfile("Vagrantfile").read().decode(), "older releases of Vagrant want an address")
        tree = xml.fromstring(box.extractfile("box.ovf").read())
        for file in tree.iter(OVF + "File"):
            member = box.getmember(file.get(OVF + "href"))
            expect(member.size == int(file.get(OVF + "size")), f"ovf:size of {member.name}")


@check
def stamped_ova_is_whole_and_holds_the_configuration():
    out = WORK / "stamped.ova"
    run(STAMP, OUT / "wow.ova", pool_conf(), "-o", out)
    verify_ova(out)
    expect(config_of(WORK / "ova/wowcfg.vmdk") == POOL_CONF, "pool.conf changed on its way")
    # A stamped image may be stamped again.
    run(STAMP, out, pool_conf(), "-o", WORK / "again.ova")
    verify_ova(WORK / "again.ova")
    for name in ("stamped.ova", "again.ova"):
        (WORK / name).unlink()


@check
def stamped_boxes_hold_the_configuration():
    for box, member in (("wow-libvirt.box", "wowcfg.qcow2"), ("wow-virtualbox.box", "wowcfg.vmdk")):
        run(STAMP, OUT / box, pool_conf(), "-o", WORK / "stamped.box")
        with tarfile.open(WORK / "stamped.box") as tar:
            (WORK / member).write_bytes(tar.extractfile(member).read())
        expect(config_of(WORK / member) == POOL_CONF, f"{box}: pool.conf changed on its way")
    (WORK / "stamped.box").unlink()


@check
def a_disk_beside_the_qcow2_holds_the_configuration_for_root_alone():
    run(STAMP, OUT / "wow.qcow2", pool_conf(), "-o", WORK / "wowcfg.img")
    expect(config_of(WORK / "wowcfg.img") == POOL_CONF, "pool.conf changed on its way")
    expect((WORK / "wowcfg.img").stat().st_size == 1024 * 1024, "not 1 MiB")
    expect((WORK / "wowcfg.img").stat().st_mode & 0o777 == 0o600, "others may read it")
