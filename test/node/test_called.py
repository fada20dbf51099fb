"""The overlay is called by TCP through the fence of a machine, and no other program that listens there is. Two namespaces of networks, with a cable between."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import samples
from wow.lib import agreed
from wow.seal import fence

ALONE = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
CABLE = """
unshare --net sh -c 'echo there; exec sleep 60' > there & far=$!
trap 'kill $far' EXIT
while [ ! -s there ]; do sleep 0.05; done
ip link add wan type veth peer name card netns $far
ip address add 192.0.2.1/24 dev wan
ip link set wan up
nsenter --net=/proc/$far/ns/net sh -c 'ip address add 192.0.2.2/24 dev card && ip link set card up'
nft -f fence
/usr/bin/python3 listens.py > heard & listener=$!
while [ ! -s heard ]; do sleep 0.05; done
nsenter --net=/proc/$far/ns/net /usr/bin/python3 calls.py
echo > called
wait $listener
cat heard
"""
LISTENS = """
import os, socket, time
door = socket.socket()
door.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, {mark})
door.bind(("192.0.2.1", {port}))
door.listen()
print("listens", flush=True)
while not os.path.exists("called"):
    time.sleep(0.05)
door.settimeout(0.2)
try:
    link = door.accept()[0]
    link.settimeout(3)
    print(link.recv(10).decode())
except TimeoutError:
    print("nobody")
"""
CALLS = """
import socket
try:
    with socket.create_connection(("192.0.2.1", {port}), 1) as link:
        link.sendall(b"hello")
except OSError:
    pass
"""


class Called(unittest.TestCase):
    def heard(self, port, mark=int(agreed.OVERLAY_MARK), **settings):
        """What a listener hears behind the fence of a machine with these settings, when somebody calls it from outside."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("fence", fence.sockets(samples.pool(**settings)).replace('"dnsmasq"', '"daemon"')),
                               ("listens.py", LISTENS.format(mark=mark, port=port)), ("calls.py", CALLS.format(port=port))):
                pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            done = subprocess.run([*ALONE, "sh", "-euc", CABLE], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()[1]

    def test_a_connection_to_the_overlay_s_ports_comes_through(self):
        self.assertEqual([self.heard(4433), self.heard(443), self.heard(8000, tcp__ports="8000")], ["hello"] * 3)

    def test_another_program_that_listens_there_is_not_reached(self):
        self.assertEqual([self.heard(4433, mark=0), self.heard(8000, mark=0)], ["nobody"] * 2)

    def test_a_port_that_pool_conf_does_not_name_stays_closed(self):
        self.assertEqual([self.heard(443, tcp__ports="none"), self.heard(4433, tcp__ports="8000")], ["nobody"] * 2)


if __name__ == "__main__":
    unittest.main()
