"""The daemon as it ships in the image, and the tools that a run needs."""

import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


PUBLISH = ("appliance/image/programs",)
# Where it lies, not the image's link to it: some tests mount the folder with all its files elsewhere.
PROGRAM = ROOT / "build/image/programs/dotnet/ipopd"
LOG_END = 20


def publish(command=PUBLISH):
    """Builds the daemon unless it is built; returns its path. IPOPD names another one. Ends the run with the log's end if the build fails."""
    if "IPOPD" in os.environ:
        return os.environ["IPOPD"]
    build = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if build.returncode:
        end = "\n".join(build.stdout.splitlines()[-LOG_END:])
        print(f"the daemon was not built, so there is nothing to test; `{' '.join(command)}` ended with {build.returncode}:\n{end}\n0 passed, 1 failed")
        sys.exit(1)
    return str(PROGRAM)


def complaint(required):
    """What keeps a run from starting, or None."""
    lacking = [tool for tool in required if subprocess.run(["sh", "-c", f"command -v {tool}"], stdout=subprocess.DEVNULL, check=False).returncode]
    if os.geteuid() or lacking:
        return f"needs root and {', '.join(lacking) or 'nothing else'}: run as root; `make host` installs the tools"
    return None


def digest(program):
    """SHA-256 over everything in the program's folder, in the order of names."""
    sum_ = hashlib.sha256()
    for file in sorted(each for each in pathlib.Path(program).resolve().parent.iterdir() if each.is_file()):
        sum_.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return sum_.hexdigest()
