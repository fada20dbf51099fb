"""`wow pool create` with the image there: seconds, and what it makes."""

import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROUNDS = 3
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOCR/GxUJ33Coe4FJcgqH1wuCnNIJYPag/FGOPqdgl9O alice@home"
NAME = "science"


def measure(_, asked):
    """{seconds: one a round, megabytes: of what was made}. The image is made before, where it is stale."""
    subprocess.run([ROOT / "appliance/image/build"], check=True, stdout=subprocess.DEVNULL)
    found = []
    for _ in range(asked.rounds or (1 if asked.short else ROUNDS)):
        with tempfile.TemporaryDirectory(prefix="wow-bench-") as folder:
            key = pathlib.Path(folder, "alice.pub")
            key.write_text(KEY + "\n", encoding="ascii")
            begun = time.monotonic()
            subprocess.run([ROOT / "appliance/wow", "pool", "create", NAME, "--at", "203.0.113.7", "--user", f"alice={key}"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found.append(round(time.monotonic() - begun, 2))
            size = sum(file.stat().st_size for file in pathlib.Path(folder, NAME).rglob("*") if file.is_file())
    return {"seconds": found, "megabytes": round(size / 1e6)}
