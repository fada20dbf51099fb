"""The shadows of this machine's jobs, by the kernel's tables."""
import os
import tempfile
import unittest

from wow.jobs import shadows

HOME, BETA, GAMMA = "10.128.0.1", "10.128.0.2", "10.128.0.3"
TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100800A:9F0B 0200800A:2592 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 20 4 30 10 -1
   1: 0100800A:9F0C 0300800A:2592 06 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1
   2: 0100800A:2592 0300800A:9F0D 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 20 4 30 10 -1
   3: 0100800A:9F0E 0100800A:2592 01 00000000:00000000 00:00000000 00000000     0        0 4714 1 0000000000000000 20 4 30 10 -1
"""
SCHEDD = 60


class ShadowTests(unittest.TestCase):
    """The kernel's tables."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.proc = folder.name
        os.mkdir(f"{self.proc}/net")
        self.write("net/tcp", TABLE)
        self.write("uptime", "100.50 180.20\n")
        self.process(SCHEDD, "condor_schedd", "", 0, parent=1)

    def write(self, name, text):
        """A file of /proc."""
        with open(f"{self.proc}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    def process(self, number, name, job, inode, started=9000, parent=SCHEDD, program=None, user=0):
        """A process with one socket, which began so many ticks after the kernel."""
        os.makedirs(f"{self.proc}/{number}/fd")
        self.write(f"{number}/comm", name + "\n")
        self.write(f"{number}/cmdline", f"{name}\0{job}\0--schedd=<10.0.0.1:9618>\0")
        self.write(f"{number}/status", f"Name:\t{name}\nUid:\t{user}\t1000\t0\t1000\n")
        self.write(f"{number}/stat", f"{number} ({name}) S {parent} {' '.join(['0'] * 17)} {started} 0 0\n")
        os.symlink(program or f"/usr/sbin/{name}", f"{self.proc}/{number}/exe")
        os.symlink(f"socket:[{inode}]", f"{self.proc}/{number}/fd/3")

    def test_what_only_calls_itself_a_shadow_is_none(self):
        self.process(70, "condor_shadow", "1.0", 4711)
        self.process(71, "condor_shadow", "2.0", 4714, parent=1)
        self.process(72, "condor_shadow", "3.0", 4714, program="/home/alice/condor_shadow")
        self.process(73, "condor_shadow", "4.0", 4714, user=1000)
        self.process(80, "condor_schedd", "", 0, parent=1, user=1000)
        self.process(81, "condor_shadow", "5.0", 4714, parent=80)
        self.process(82, "condor_schedd", "", 0, parent=1, program="/home/alice/condor_schedd")
        self.process(83, "condor_shadow", "6.0", 4714, parent=82)
        self.process(84, "condor_shadow (x) S 9", "7.0", 4714)
        found = shadows.Shadows(self.proc)
        found.look()
        self.assertEqual((list(found.running), list(found.machines)), ([70], [BETA]))
        found.look()
        self.assertEqual(found.lost, [], "nor does one of them have the queue asked")

    def test_one_that_was_never_seen_alive_is_no_shadow(self):
        self.process(70, "condor_shadow", "1.0", 4711)
        self.end(70)
        found = shadows.Shadows(self.proc)
        found.look()
        self.assertEqual(found.running, {})

    def end(self, number):
        """The process has ended, and nobody has asked how."""
        self.write(f"{number}/cmdline", "")
        self.write(f"{number}/stat", f"{number} (condor_shadow) Z {SCHEDD} {' '.join(['0'] * 17)} 9000 0 0\n")
        os.remove(f"{self.proc}/{number}/exe")

    def test_a_connection_to_condor_counts_while_it_stands_this_machine_s_own_too(self):
        self.assertEqual(shadows.connections(TABLE), {4711: BETA, 4714: HOME})

    def test_a_connection_of_another_machine_to_condor_here_counts_for_a_manager(self):
        self.assertEqual(shadows.connections(TABLE, at_home=True), {4713: GAMMA})

    def test_a_shadow_has_its_job_and_its_machine(self):
        self.process(70, "condor_shadow", "1.0", 4711)
        self.process(71, "condor_shadow", "2.0", 4713)
        self.process(72, "condor_startd", "3.0", 4711)
        found = shadows.Shadows(self.proc)
        found.look()
        self.assertEqual({number: (shadow.job, shadow.address) for number, shadow in found.running.items()}, {70: ("1.0", BETA), 71: ("2.0", "")})
        self.assertEqual(list(found.machines), [BETA])

    def test_a_machine_is_as_long_at_work_as_its_oldest_shadow(self):
        self.process(70, "condor_shadow", "1.0", 4711, started=95 * shadows.TICKS)
        self.process(71, "condor_shadow", "2.0", 4711, started=40 * shadows.TICKS)
        found = shadows.Shadows(self.proc)
        found.look()
        self.assertEqual(found.machines, {BETA: 60.5})

    def test_a_shadow_whose_connection_broke_keeps_its_machine_until_it_ends(self):
        self.process(70, "condor_shadow", "1.0", 4711)
        found = shadows.Shadows(self.proc)
        found.look()
        self.write("net/tcp", TABLE.splitlines()[0] + "\n")
        found.look()
        self.assertEqual(list(found.machines), [BETA])
        self.assertEqual((found.lost, found.parted), ([], set()))
        found.look()
        self.assertEqual(found.parted, {BETA}, "not at the first look: HTCondor may be about to end the shadow")
        self.write("net/tcp", TABLE)
        found.look()
        self.assertEqual(found.parted, set())
        self.write("70/comm", "sh\n")
        found.look()
        self.assertEqual(found.running, {})

    def test_a_shadow_that_has_ended_counts_until_the_schedd_has_heard_of_it(self):
        self.process(70, "condor_shadow", "1.0", 4711)
        found = shadows.Shadows(self.proc)
        found.look()
        self.end(70)
        os.remove(f"{self.proc}/70/fd/3")
        found.look()
        found.look()
        self.assertEqual((list(found.machines), found.running[70].job, found.parted), ([BETA], "1.0", set()))

    def test_a_number_that_another_shadow_has_later_is_another_shadow(self):
        self.process(70, "condor_shadow", "1.0", 4711)
        found = shadows.Shadows(self.proc)
        found.look()
        self.write("net/tcp", TABLE.splitlines()[0] + "\n")
        self.write("70/cmdline", "condor_shadow\0002.0\0")
        found.look()
        self.assertEqual((found.machines, found.lost), ({}, []))
        found.look()
        [shadow] = found.lost
        shadow.address = GAMMA
        found.look()
        self.assertEqual((list(found.machines), found.lost), ([GAMMA], []), "whom the queue knew is known")
