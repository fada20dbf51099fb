"""Two TCP streams at once, one each way, during which something happens."""

import hashlib
import os
import subprocess
import time

from tally import must
from waiting import LIMIT, until

CHUNKS, CHUNK = 120, 20000
SENDER = f"""
import os, socket, sys, time
source = open(sys.argv[2], "rb")
with socket.create_connection((sys.argv[1], 7000), 240) as to:
    to.settimeout(None)
    while data := source.read({CHUNK}):
        to.sendall(data)
        time.sleep(0.05)
"""
RECEIVER = """
import hashlib, socket
with socket.create_server(("", 7000)) as door:
    with door.accept()[0] as taken:
        digest = hashlib.sha256()
        while data := taken.recv(65536):
            digest.update(data)
print(digest.hexdigest())
"""


def streams(one, other, meanwhile, patience=LIMIT):
    """Sends six seconds of data from one machine to another and back again; when both have flowed for a second something happens, and some time
    later all is there. Not a byte may differ."""
    pairs = []
    for number, (source, target) in enumerate(((one, other), (other, one))):
        data = os.urandom(CHUNKS * CHUNK)
        file = source.folder / f"data{number}"
        file.write_bytes(data)
        receiver = subprocess.Popen(target.inside("python3", "-c", RECEIVER), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        until(lambda target=target: target.run("ss", "-Hltn", "sport", "=", ":7000").stdout, lambda seen: seen, f"{target.name} listens")
        sender = subprocess.Popen(source.inside("python3", "-c", SENDER, target.address, str(file)), stdin=subprocess.DEVNULL)
        pairs.append((data, sender, receiver))
    try:
        for target in (other, one):
            until(lambda target=target: _connected(target), bool, f"{target.name} is sent a stream")
        time.sleep(1)
        meanwhile()
        for data, sender, receiver in pairs:
            until(lambda ends=(sender, receiver): [end.poll() for end in ends], lambda codes: None not in codes, "both ends of a stream end", patience)
            must(sender.returncode == 0 and receiver.stdout.read().strip() == hashlib.sha256(data).hexdigest(), "the stream broke, or its data differ")
    finally:
        for _, sender, receiver in pairs:
            for process in (sender, receiver):
                process.kill()
                process.wait()


def _connected(target):
    return target.run("ss", "-Htn", "state", "established", "sport", "=", ":7000").stdout
