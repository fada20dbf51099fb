"""What seals ipopd's frames in the bench: the libipsec-mb that the image ships, whatever this machine's Debian has; and what else decides how fast that is."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# The instructions by which ipopd chooses among the library's functions (Ipop.Linux, GcmLibrary).
DECISIVE = ("aes", "avx2", "vaes", "avx512f")
PREFIX = "libIPSec_MB.so"


def fetched(package):
    """The path of what the bench wants of a package of Debian."""
    return subprocess.run([HERE / "fetched", package], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def environment(library):
    """What makes ipopd load this very library."""
    return {"LD_LIBRARY_PATH": str(pathlib.Path(library).parent)}


def sealer(process):
    """The library that a running ipopd has loaded, by its release; OpenSSL if none."""
    return sealer_in(pathlib.Path(f"/proc/{process}/maps").read_text(encoding="utf-8"))


def sealer_in(maps):
    """The same of the text of /proc/PID/maps."""
    names = {pathlib.PurePath(line.split(None, 5)[-1]).name for line in maps.splitlines() if "/" in line}
    return next((name for name in sorted(names) if name.startswith(PREFIX)), "OpenSSL")


def processor():
    """This machine's processor, for what is written down about a run."""
    return processor_in(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))


def processor_in(text):
    """The same of the text of /proc/cpuinfo: its model, and which of the decisive instructions it has."""
    said = dict([part.strip() for part in line.split(":", 1)] for line in text.splitlines() if ":" in line)
    return {"model": said.get("model name", "unknown"), "instructions": [each for each in DECISIVE if each in said.get("flags", "").split()]}
