"""The tap that the fence makes has as many queues as ipopd opens. In a network namespace of its own."""

import os
import pathlib
import subprocess
import sys
import unittest

FENCE = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root/usr/lib/wow/node/fence"
ALONE = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
ATTACH = """
import fcntl, os, struct, sys
TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_VNET_HDR, IFF_MULTI_QUEUE = 0x400454CA, 0x2, 0x1000, 0x4000, 0x100
queues = [os.open("/dev/net/tun", os.O_RDWR) for _ in range(8)]
for queue in queues:
    fcntl.ioctl(queue, TUNSETIFF, struct.pack("16sH22x", b"wow0", IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_MULTI_QUEUE))
print(sum(one.startswith("rx-") for one in os.listdir(sys.argv[1] + "/class/net/wow0/queues")))
"""
"""As ipopd does (TapDevice.Open). The kernel refuses a second queue of a tap that was made for one."""


class Tap(unittest.TestCase):
    def test_ipopd_gets_eight_queues_of_the_tap_that_the_fence_makes(self):
        making = [line for line in FENCE.read_text(encoding="utf-8").splitlines() if line.strip().startswith("ip tuntap add")]
        self.assertEqual(len(making), 1)
        # The kernel's files show the interfaces of the namespace that they were mounted in.
        script = f"""set -eu
tap=wow0
fail() {{ exit 1; }}
{making[0]}
here=$(mktemp -d)
mount -t sysfs none "$here"
{sys.executable} -c "$ATTACH" "$here"
umount "$here"
rmdir "$here"
"""
        done = subprocess.run([*ALONE, "--mount", "sh", "-c", script], env={**os.environ, "ATTACH": ATTACH}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "8\n", ""))


if __name__ == "__main__":
    unittest.main()
