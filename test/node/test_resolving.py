"""What dnsmasq, by the machine's own configuration, answers before and after the machine's network changed. In a network namespace of its own."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import samples
from wow.lib import paths
from wow.setup import dnsmasq

ALONE = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
WORLD = r"""
import os, socket, struct, subprocess, sys, threading

def serve(link, address):
    while True:
        question, client = link.recvfrom(512)
        end = question.index(b"\0", 12) + 5
        head = question[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question[12:end]
        link.sendto(head + b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 3600, 4) + socket.inet_aton(address), client)

def ask():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.settimeout(30)
        link.sendto(b"\x12\x34\1\0\0\1\0\0\0\0\0\0\7manager\7example\3org\0\0\1\0\1", ("127.0.0.1", 53))
        answer = link.recv(512)
    return socket.inet_ntoa(answer[-4:]), struct.unpack(">I", answer[-10:-6])[0]

def wait(daemon, words):
    for line in daemon.stderr:
        if words in line:
            return
    raise SystemExit("dnsmasq has ended")

subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for at, address in (("127.0.0.2", "10.1.2.3"), ("127.0.0.3", "198.51.100.7")):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind((at, 53))
    threading.Thread(target=serve, args=(link, address), daemon=True).start()
folder = sys.argv[1]
with subprocess.Popen(["dnsmasq", "--keep-in-foreground", "--log-facility=-", f"--conf-file={folder}/dnsmasq.conf"], stderr=subprocess.PIPE, text=True) as daemon:
    wait(daemon, "using nameserver 127.0.0.2")
    print(ask()[0], *ask())
    with open(f"{folder}/upstream.conf.new", "w") as file:
        file.write("nameserver 127.0.0.3\n")
    os.rename(f"{folder}/upstream.conf.new", f"{folder}/upstream.conf")
    wait(daemon, "using nameserver 127.0.0.3")
    print(ask()[0])
    daemon.terminate()
"""
"""Each network's resolver gives the manager another address, for an hour. upstream.conf becomes another as the script `upstream` makes it so."""


class Moved(unittest.TestCase):
    def test_a_name_s_address_of_the_former_network_is_forgotten_and_none_is_kept_for_long(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            text = dnsmasq.config(samples.pool()).replace("user=dnsmasq", "user=root").replace("group=nogroup", "group=root").replace(paths.RUN, folder)
            (place / "dnsmasq.conf").write_text(text, encoding="utf-8")
            (place / "upstream.conf").write_text("nameserver 127.0.0.2\n", encoding="utf-8")
            done = subprocess.run([*ALONE, sys.executable, "-c", WORLD, folder], capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            before, after = done.stdout.splitlines()
            fresh, kept, seconds = before.split()
            self.assertEqual((fresh, kept, after), ("10.1.2.3", "10.1.2.3", "198.51.100.7"))
            self.assertLessEqual(int(seconds), dnsmasq.CACHED_S)


if __name__ == "__main__":
    unittest.main()
