"""The computer with an ARM processor on which the image is tried: QEMU's machine `virt`, with a Raspberry Pi 4's processor and UEFI, emulated."""

import pathlib
import shutil

from shell import LabError
from vm import Vm

IMAGE = pathlib.Path(__file__).resolve().parents[2] / "build/arm64/out/wow-arm64.qcow2"
PROGRAM, FIRMWARE = "qemu-system-aarch64", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"
SECURE, KEYS = "/usr/share/AAVMF/AAVMF_CODE.ms.fd", "/usr/share/AAVMF/AAVMF_VARS.ms.fd"
"""The same firmware, and its variables with Microsoft's keys, so that Secure Boot is on."""
COMPUTER = (PROGRAM, "-machine", "virt", "-cpu", "cortex-a72", "-accel", "tcg,thread=multi")
BOARD = (*COMPUTER, "-bios", FIRMWARE)


def need_firmware():
    """LabError where this machine cannot run one."""
    if not pathlib.Path(FIRMWARE).exists():
        raise LabError(f"{FIRMWARE} is missing: appliance/host-packages test/packages-arm64.txt", step="image")


def secure(folder):
    """The computer with Secure Boot on; its variables are a copy in this folder."""
    variables = pathlib.Path(folder, "secure.vars")
    shutil.copyfile(KEYS, variables)
    return (*COMPUTER, "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={SECURE}", "-drive", f"if=pflash,unit=1,format=raw,file={variables}")


class ArmVm(Vm):
    """A machine of the lab with an ARM processor, over the image for it."""

    def __init__(self, machine, _, *more):
        super().__init__(machine, IMAGE, *more)

    def board(self):
        """As Vm.board."""
        return BOARD
