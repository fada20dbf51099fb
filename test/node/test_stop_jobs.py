"""The script that has jobs told before HTCondor is stopped."""
import os
import subprocess
import tempfile
import unittest

STOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../appliance/node/root/usr/lib/wow/node/stop-jobs")
FOREVER = "1000"


class StopJobs(unittest.TestCase):
    def test_the_master_s_own_startd_is_asked_to_end_and_nobody_s_program_that_is_called_so(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/condor_startd"
            os.symlink("/bin/sleep", program)
            with subprocess.Popen([program, FOREVER]) as persons, \
                    subprocess.Popen(["sh", "-c", f"{program} {FOREVER} & echo $!; wait $!; echo $?"], stdout=subprocess.PIPE, text=True) as master:
                try:
                    self.assertTrue(master.stdout.readline().strip().isdigit())
                    said = subprocess.run(["sh", STOP], env={**os.environ, "MAINPID": str(master.pid), "STOPS": f"{folder}/stops"}, capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((0, "143"), (said.returncode, master.stdout.readline().strip()), said.stderr)
                    self.assertIsNone(persons.poll(), "a person's program was ended")
                    self.assertTrue(os.path.exists(f"{folder}/stops"), "the owner's pause may go on freezing jobs")
                finally:
                    persons.kill()
                    master.kill()

    def test_where_there_is_no_startd_there_is_nobody_to_ask(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "MAINPID": str(os.getpid()), "STOPS": f"{folder}/stops"}
            self.assertEqual(0, subprocess.run(["sh", STOP], env=environment, timeout=60, check=False).returncode)


if __name__ == "__main__":
    unittest.main()
