"""ESP with its head alone sealed beside the same frames sealed whole, by the test that measures it in one process: the daemon's own work, and with sockets."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEST = "FullyQualifiedName~EspPathTests"
PATHS = {"esp_pipeline": "ipopd's own work", "esp_loopback": "with the loopback's"}


def measure():
    """What the test said."""
    subprocess.run(["dotnet", "build", "test/Ipop.Linux.Tests", "-c", "Release", "-v", "q", "-nologo"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    assembly = ROOT / "build/dotnet/bin/Ipop.Linux.Tests/release/Ipop.Linux.Tests.dll"
    return read(subprocess.run(
        ["dotnet", "test", str(assembly), "--filter", TEST, "--logger", "console;verbosity=detailed"], check=True, stdout=subprocess.PIPE, text=True).stdout)


def read(text):
    """{name: {ratio, kpps}} of the test's output."""
    found = {name: {"ratio": float(ratio), "kpps": int(kpps)} for name, ratio, kpps in re.findall(r"(\w+)_ratio=([\d.]+) \w+_kpps=(\d+)", text)}
    if found.keys() != PATHS.keys():
        raise RuntimeError(f"the test of ESP said: {text[-500:]}")
    return found


def lines(found):
    """For people."""
    return [f"ESP of 1,400 B, {words}: {found[name]['ratio']:.2f} of the same sealed whole, {found[name]['kpps']} kpps both ends on one thread"
            for name, words in PATHS.items()]
