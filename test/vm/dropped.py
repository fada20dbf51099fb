"""What alice, an ordinary user of alpha, may leave for root's programs, and what becomes of what she may not."""

import probe
from tally import must

WRITABLE = "find /run/wow /var/lib/wow -xdev ! -type l ! -type s -writable 2>/dev/null; true"
LOCAL = "/var/lib/wow/condor/local_univ_execute"
"""Where HTCondor's schedd has jobs of its local universe work, which run as who submitted them: it makes the folder as /tmp is."""
REFUSED = """\
cd /run/wow/asked
ln -s /etc/shadow reset; sleep 2
mkdir -p enroll/a/b/c; sleep 2
mkfifo reset; sleep 2
ls enroll reset 2>/dev/null
i=0; while [ $i -lt 200 ]; do : > heap.$i || break; i=$((i + 1)); done 2>/dev/null
ls heap.0 heap.199 2>/dev/null
while [ $i -ge 0 ]; do rm -f heap.$i; i=$((i - 1)); done
head -c 1000000 /dev/zero > large 2>/dev/null
stat -c %s large; rm -f large
"""


def run(tally, lab):
    """alice may log in to alpha."""
    alice = lab.login("alpha", "alice")
    with tally.case("where root's programs look, alice may write into the folder for requests, and into HTCondor's, where nobody may touch another's"):
        found = alice.run(WRITABLE).stdout.split()
        must(set(found) <= {"/run/wow/asked", LOCAL}, f"she may write to {found}")
        must(probe.root("alpha", f"stat -c %a {LOCAL}") == "1777" or LOCAL not in found, f"{LOCAL} is no sticky folder")
    with tally.case("links, folders, pipes and heaps that alice leaves there are cleared away and nothing is done"):
        before = probe.root("alpha", "cat /proc/sys/kernel/random/boot_id; sha256sum /etc/shadow")
        said = alice.run(REFUSED, check=False).stdout.split()
        must(said[:1] == ["heap.0"] and "heap.199" not in said and "enroll" not in said and "reset" not in said, f"there is {said}")
        must(int(said[-1]) <= 65536, f"{said[-1]} bytes came in")
        must(probe.root("alpha", "cat /proc/sys/kernel/random/boot_id; sha256sum /etc/shadow") == before, "the machine is not as it was")
    with tally.case("after many requests that were none the machine still hears one that is"):
        said = alice.run("cd /run/wow/asked; for i in 1 2 3 4 5 6 7 8 9; do : > enroll; sleep 1; done; ls enroll 2>/dev/null; true").stdout.split()
        probe.until(lambda: probe.root("alpha", "ls /run/wow/asked; systemctl is-active wow-asked.path"), lambda now: now.split() == ["active"], "command",
                    f"a request is left, {said}")
