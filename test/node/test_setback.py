"""The script that runs when the clock was set."""
import os
import subprocess
import tempfile
import unittest

SETBACK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../appliance/node/root/usr/lib/wow/node/setback")
RESTART = "try-restart --no-block condor.service\n"


class Setback(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(f"{self.root}/bin")
        for program, body in {"systemctl": f'echo "$@" >> {self.root}/calls', "date": f"cat {self.root}/now"}.items():
            with open(f"{self.root}/bin/{program}", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{body}\n")
            os.chmod(f"{self.root}/bin/{program}", 0o755)

    def calls(self, *times):
        """What systemd was told when the clock showed this at that time since boot."""
        for now, uptime in times:
            for name, text in (("now", str(now)), ("uptime", f"{uptime} 17.23")):
                with open(f"{self.root}/{name}", "w", encoding="utf-8") as file:
                    file.write(text + "\n")
            with open(SETBACK, encoding="utf-8") as file:
                script = file.read().replace("/proc/uptime", f"{self.root}/uptime").replace("/run/wow-clock", f"{self.root}/kept")
            subprocess.run(["sh", "-c", script], env={"PATH": f"{self.root}/bin:{os.environ['PATH']}"}, check=True)
        try:
            with open(f"{self.root}/calls", encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def test_a_clock_that_goes_back_by_two_hours_restarts_htcondor_once(self):
        self.assertEqual(self.calls((1_800_000_000, "10.00"), (1_799_992_830, "40.99"), (1_799_992_840, "50.00")), RESTART)

    def test_one_that_was_ahead_for_a_moment_goes_back_too(self):
        self.assertEqual(self.calls((1_800_000_000, "10.00"), (1_800_007_205, "15.02"), (1_800_000_020, "30.00")), RESTART)

    def test_a_sleep_of_the_host_and_what_does_no_harm_restart_nothing(self):
        self.assertEqual(self.calls((1_800_000_000, "10.00"), (1_800_030_000, "11.00"), (1_800_029_800, "101.00")), "")


if __name__ == "__main__":
    unittest.main()
