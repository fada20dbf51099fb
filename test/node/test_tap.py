"""The tap that the fence makes, at boot and where somebody deleted it: with the queues that ipopd opens, and behind its wire. In a network namespace of its own."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import samples
from wow.seal import fence

NODE = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node"
ALONE = ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
ATTACH = """
import fcntl, os, struct
TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_VNET_HDR, IFF_MULTI_QUEUE = 0x400454CA, 0x2, 0x1000, 0x4000, 0x100
queues = [os.open("/dev/net/tun", os.O_RDWR) for _ in range(8)]
for queue in queues:
    fcntl.ioctl(queue, TUNSETIFF, struct.pack("16sH22x", b"wow0", IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_MULTI_QUEUE))
print(sum(one.startswith("rx-") for one in os.listdir("/sys/class/net/wow0/queues")), "queues")
"""
"""As ipopd does (TapDevice.Open). The kernel refuses a second queue of a tap that was made for one."""
LOOK = """
"$PYTHON" -c "$ATTACH"
echo $(nft list table netdev wow_wire | grep -c 'hook .*wow0') chains
"""
WHOLE = "8 queues\n2 chains\n"


class Tap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_folder = pathlib.Path(folder.name)
        self.write("fenced", "")
        self.write("wire.nft", fence.wire(samples.pool()))
        self.write("fence", (NODE / "fence").read_text(encoding="utf-8").replace("/usr/lib/wow/node", str(NODE)).replace("/run/wow", folder.name))

    def write(self, name, text):
        (self.run_folder / name).write_text(text, encoding="utf-8")

    def does(self, script):
        """Exit code and output of a script in whose folder the fence's files are. The kernel's files show the interfaces of the namespace that they were mounted in."""
        script = f"set -eu\nmount -t sysfs none /sys\nmount --bind /dev/null /dev/kmsg\n{script}"
        done = subprocess.run([*ALONE, "sh", "-c", script], cwd=self.run_folder, env={**os.environ, "ATTACH": ATTACH, "PYTHON": sys.executable},
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_a_tap_has_eight_queues_and_its_wire_and_so_it_has_after_it_was_deleted(self):
        self.assertEqual((0, WHOLE + WHOLE, ""), self.does(f"sh fence tap{LOOK}ip link delete wow0\nsh fence tap{LOOK}"))

    def test_the_tap_is_root_s_so_that_no_other_account_attaches_to_it(self):
        self.assertEqual((0, "0\n", ""), self.does("sh fence tap\ncat /sys/class/net/wow0/owner"))

    def test_a_tap_that_is_there_keeps_what_its_wire_has_learnt(self):
        code, said, _ = self.does("sh fence tap\nnft 'add element netdev wow_wire ca { 10.128.0.1 }'\nsh fence tap\nnft list set netdev wow_wire ca")
        self.assertEqual(code, 0)
        self.assertIn("10.128.0.1", said)

    def test_a_tap_without_a_wire_is_not_left_behind(self):
        self.write("wire.nft", "no rule")
        code, said, _ = self.does("! sh fence tap\nls /sys/class/net")
        self.assertEqual((0, False), (code, "wow0" in said), said)

    def test_no_tap_is_made_where_the_fence_does_not_stand(self):
        (self.run_folder / "fenced").unlink()
        code, said, _ = self.does("! sh fence tap\nls /sys/class/net")
        self.assertEqual((0, False), (code, "wow0" in said), said)

    def test_ipopd_has_the_tap_looked_after_before_each_of_its_starts(self):
        drop_in = NODE.parents[1] / "systemd/system/ipopd.service.d/wow.conf"
        self.assertIn("ExecStartPre=+/usr/lib/wow/node/fence tap\n", drop_in.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
