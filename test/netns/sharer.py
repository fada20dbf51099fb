"""A machine of a pool as far as the stack's layers go: what wow-stack and wow-share do, by their own code, in a folder. It takes what is published, tells the seconds that this
took, and hands it on until it is ended.

sharer.py FOLDER OWN CA      FOLDER: has notice-3 and A.conf, the list of its image; OWN, CA: addresses
"""
import os
import pathlib
import socket
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "appliance/node/root/usr/lib/wow/node"))

from wow.lib import agreed, modes  # noqa: E402
from wow.stack import bring, fetch, kept, peers, share, told  # noqa: E402
from wow.stack.systems import Systems  # noqa: E402

MOST, MOST_OF_ONE = 2, 1
"""As wow-share.socket says."""
HASTE = 4
"""Waiting takes so many times less than on a machine; bytes come as they do there."""
AGAIN = 1.0
"""Seconds after which systemd would start it again."""


def serve(own, giving):
    """What systemd does for wow-share.socket."""
    busy, lock = [], threading.Lock()

    def one(link, address):
        with link:
            try:
                share.serve(link, giving)
            except OSError:
                pass
        with lock:
            busy.remove(address)
    with socket.create_server((own, agreed.SHARE_PORT), backlog=128) as door:
        while True:
            link, (address, _) = door.accept()
            with lock:
                is_room = len(busy) < MOST and busy.count(address) < MOST_OF_ONE
                if is_room:
                    busy.append(address)
            if is_room:
                threading.Thread(target=one, args=(link, address), daemon=True).start()
            else:
                link.close()


def main(folder, own, authority):
    """Serves until it is ended."""
    told.FILE, modes.FILE = f"{folder}/stack.json", f"{folder}/mode"
    os.makedirs(f"{folder}/home", exist_ok=True)
    place = kept.Place(f"{folder}/home", f"{folder}/A.conf", f"{folder}/started", f"{folder}/list")
    giving = share.Giving(place, Systems(f"{folder}/sys", f"{folder}/said"), f"{folder}/notice-3", f"{folder}/sent")
    threading.Thread(target=serve, args=(own, giving), daemon=True).start()
    began = time.monotonic()
    while bring.once(place, lambda: peers.Way(fetch.Source(authority, agreed.LAYERS_PORT, "ca.science.internal", own), own), f"{folder}/notice-3",
                     lambda seconds: time.sleep(seconds / HASTE)):
        time.sleep(AGAIN)
    pathlib.Path(folder, "took").write_text(f"{time.monotonic() - began:.1f}\n", encoding="ascii")
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
