"""Prometheus' own parser. Debian has it in the package of the whole server, which would start with it: so it is unpacked into the cache, not installed."""

import os
import pathlib
import shutil
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("WOW_CACHE") or pathlib.Path.home() / ".cache/wow") / "promtool"
PATIENCE = 120


def program():
    """The path of promtool; fetches it once (19 MB)."""
    installed = shutil.which("promtool")
    if installed:
        return installed
    kept = CACHE / "promtool"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            fetched = subprocess.run(["apt-get", "download", "-q", "prometheus"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                     timeout=PATIENCE, check=False)
            packages = list(pathlib.Path(folder).glob("prometheus_*.deb"))
            if fetched.returncode or len(packages) != 1:
                raise AssertionError(f"promtool can't be fetched; install Debian's package prometheus, or run apt-get update: {fetched.stdout.strip()}")
            subprocess.run(["dpkg-deb", "--extract", str(packages[0]), folder], check=True, timeout=PATIENCE)
            (pathlib.Path(folder) / "usr/bin/promtool").rename(kept)
    return str(kept)


def complaints(text):
    """What promtool has against a text: syntax, missing HELP, names against the conventions; empty if nothing."""
    ended = subprocess.run([program(), "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    return ended.stdout.strip() or ("" if ended.returncode == 0 else f"exit {ended.returncode}")
