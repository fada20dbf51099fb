"""Conversions of raw disks by qemu-img."""

import subprocess

QCOW2 = "wowcfg.qcow2"


def to_vmdk(raw, out):
    """streamOptimized, the only form that an OVA may hold; compat6 is what VMware reads."""
    convert(raw, out, "vmdk", "-o", "subformat=streamOptimized,adapter_type=lsilogic,compat6")


def to_qcow2(raw, out):
    convert(raw, out, "qcow2")


def convert(raw, out, form, *options):
    subprocess.run(["qemu-img", "convert", "-f", "raw", "-O", form, *options, str(raw), str(out)], check=True)
