"""The daemon as it is delivered, and the tools that a run needs."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def publish():
    """Builds the daemon; returns its path. IPOPD names another one."""
    if "IPOPD" in os.environ:
        return os.environ["IPOPD"]
    subprocess.run(["dotnet", "publish", "ipop/Ipopd", "-r", "linux-x64", "--self-contained", "-v", "quiet", "--nologo"], cwd=ROOT, check=True)
    return str(ROOT / "build/dotnet/publish/Ipopd/release_linux-x64/ipopd")


def complaint(required):
    """What keeps a run from starting, or None."""
    lacking = [tool for tool in required if subprocess.run(["sh", "-c", f"command -v {tool}"], stdout=subprocess.DEVNULL, check=False).returncode]
    if os.geteuid() or lacking:
        return f"needs root and {', '.join(lacking) or 'nothing else'}: run as root; `make host` installs the tools"
    return None
