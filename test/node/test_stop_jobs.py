"""The script that has jobs told before HTCondor is stopped."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

STOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../appliance/node/root/usr/lib/wow/node/stop-jobs")
FOREVER = "1000"


def begun(number, program, patience=60.0):
    """Waits until a process that was forked is the program. AssertionError if it does not become it."""
    end = time.monotonic() + patience
    while pathlib.Path(f"/proc/{number}/comm").read_text(encoding="ascii").strip() != os.path.basename(program):
        if time.monotonic() > end:
            raise AssertionError(f"{number} is not {program}")
        time.sleep(0.01)


class StopJobs(unittest.TestCase):
    def test_the_master_s_own_startd_is_asked_to_end_and_nobody_s_program_that_is_called_so(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/condor_startd"
            os.symlink("/bin/sleep", program)
            with subprocess.Popen([program, FOREVER]) as persons, \
                    subprocess.Popen(["sh", "-c", f"{program} {FOREVER} & echo $!; wait $!; echo $?"], stdout=subprocess.PIPE, text=True) as master:
                try:
                    begun(int(master.stdout.readline()), program)
                    said = subprocess.run(["sh", STOP], env={**os.environ, "MAINPID": str(master.pid), "STOPS": f"{folder}/stops"}, capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual((0, "143"), (said.returncode, master.stdout.readline().strip()), said.stderr)
                    self.assertIsNone(persons.poll(), "a person's program was ended")
                    self.assertTrue(os.path.exists(f"{folder}/stops"), "the owner's pause may go on freezing jobs")
                finally:
                    persons.kill()
                    # Its child first, which else holds the pipe that this process reads.
                    subprocess.run(["pkill", "-KILL", "--parent", str(master.pid)], check=False)
                    master.kill()

    def test_where_there_is_no_startd_there_is_nobody_to_ask(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "MAINPID": str(os.getpid()), "STOPS": f"{folder}/stops"}
            self.assertEqual(0, subprocess.run(["sh", STOP], env=environment, timeout=60, check=False).returncode)


if __name__ == "__main__":
    unittest.main()
