"""The OVF descriptor: filled from its template, and changed when the configuration disk is replaced. DMTF DSP0243."""

import hashlib
import pathlib
import re

TEMPLATE = pathlib.Path(__file__).resolve().parent / "wow.ovf.in"
NAME = "wow.ovf"
MANIFEST = "wow.mf"
SYSTEM = "wow.vmdk"
HOME = "wowhome.vmdk"
CONFIG = "wowcfg.vmdk"
DISKS = (SYSTEM, HOME, CONFIG)
"""In the descriptor's order, and the archive's."""


def render(values):
    """The descriptor's text; `values` has one entry for each @WORD@ of the template."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for word, value in values.items():
        text = text.replace(f"@{word}@", str(value))
    left = re.findall(r"@[A-Z_]+@", text)
    if left:
        raise ValueError(f"{TEMPLATE}: no value for {' '.join(sorted(set(left)))}")
    return text


def urls(address):
    """The product's and the vendor's address, behind the version, where DSP0243 wants them; nothing without an address."""
    if address is None:
        return ""
    if not re.fullmatch(r"https?://[^\s<>&\"]+", address):
        raise ValueError(f"Directory.Build.props: PackageProjectUrl is no address that a browser opens: {address}")
    return f"\n      <ProductUrl>{address}</ProductUrl>\n      <VendorUrl>{address}</VendorUrl>"


def replace_config(text, file_size, capacity):
    """The descriptor with another size (bytes of the VMDK) and capacity (bytes of the disk) of the configuration disk."""
    text, files = re.subn(r'(<File [^>]*ovf:id="file-config"[^>]*ovf:size=")[0-9]+(")', rf"\g<1>{file_size}\2", text)
    text, disks = re.subn(r'(<Disk [^>]*ovf:capacity=")[0-9]+("[^>]*ovf:fileRef="file-config")', rf"\g<1>{capacity}\2", text)
    if (files, disks) != (1, 1):
        raise ValueError("has no configuration disk of WOW (file-config)")
    return text


def manifest(digests):
    """The .mf text: `digests` maps names to SHA-256 in hexadecimal."""
    return "".join(f"SHA256({name})= {digest}\n" for name, digest in digests.items())


def parse_manifest(text):
    """The inverse of `manifest`."""
    return dict(re.findall(r"^SHA256\(([^)]+)\)= ([0-9a-f]{64})$", text, re.MULTILINE))


def digest_of(path):
    with open(path, "rb") as file:
        return digest_of_stream(file)


def digest_of_stream(file):
    sha = hashlib.sha256()
    while block := file.read(1024 * 1024):
        sha.update(block)
    return sha.hexdigest()
