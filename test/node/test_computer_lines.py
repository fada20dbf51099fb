"""The lines that are pasted on the owner's computer: run by a real sh where that can be, and read as their system reads them."""
import pathlib
import plistlib
import re
import subprocess
import tempfile
import time
import unittest

import samples  # noqa: F401

from wow.computer import lines
from wow.page import where


class Lines(unittest.TestCase):
    TOKEN = "0123456789abcdef" * 2

    def made(self, system, page="http://localhost:4480"):
        made = lines.line(system, page, self.TOKEN)
        self.assertNotIn("\n", made)
        self.assertIn("http://127.0.0.1:4480/computer" if "localhost" in page else page, made)
        self.assertEqual(made.count(self.TOKEN), 1)
        self.assertTrue(made.isascii())
        return made

    def run_pasted(self, system, **programs):
        """What programs of the system are told when the line is pasted, and when what it leaves is run as that system does. programs: what each prints."""
        with tempfile.TemporaryDirectory() as folder:
            tools, home = pathlib.Path(folder, "tools"), pathlib.Path(folder, "home")
            tools.mkdir()
            home.mkdir()
            for name, text in programs.items():
                pathlib.Path(tools, name).write_text(text, encoding="ascii")
                pathlib.Path(tools, name).chmod(0o755)
            given = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(home), "OUT": folder}
            for _ in range(2):
                subprocess.run(["sh", "-c", self.made(system)], env=given, check=True, timeout=20)
            if system == "macos":
                with open(home / "Library/LaunchAgents/wow-computer.plist", "rb") as file:
                    kept = plistlib.load(file)
                self.assertEqual((kept["Label"], kept["StartInterval"]), ("wow-computer", 60))
                command = kept["ProgramArguments"]
            else:
                tab = pathlib.Path(folder, "tab").read_text(encoding="ascii").splitlines()
                self.assertEqual((len(tab), tab[0]), (2, "0 5 * * * other"), "what stood there is lost, or it stands there twice")
                self.assertNotIn("%", tab[1], "cron makes new lines of it")
                command = ["sh", "-c", tab[1].removeprefix("* * * * * ")]
            subprocess.run(command, env=given, check=True, timeout=20)
            return pathlib.Path(folder, "curl").read_text(encoding="ascii").split()

    CURL = '#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT/curl"\n'
    TAB = '#!/bin/sh\nif [ "$1" = -l ]; then cat "$OUT/tab" 2> /dev/null || echo "0 5 * * * other"; else cat > "$OUT/new"; mv "$OUT/new" "$OUT/tab"; fi\n'

    @staticmethod
    def logind(idle, slept=0, hint="yes"):
        """loginctl, of a seat that is idle for so many seconds, of which the computer slept some: logind's two clocks. None: nobody is logged in."""
        up = float(pathlib.Path("/proc/uptime").read_text(encoding="ascii").split()[0])
        wall, awake = (0, 0) if idle is None else (int((time.time() - idle) * 1e6), int((up - idle - slept) * 1e6))
        return ("#!/bin/sh\nshift 2\nwhile [ $# -gt 1 ]; do\ncase $2 in\n" + "".join(
            f"{name}) echo {name}={value};;\n" for name, value in (("IdleHint", hint), ("IdleSinceHint", wall), ("IdleSinceHintMonotonic", awake)))
            + "esac\nshift 2\ndone\n")

    @staticmethod
    def idle(told):
        """The seconds that curl is given."""
        found, = (one.partition("=")[2] for one in told if one.startswith("idle="))
        return int(found)

    def test_linux_by_a_real_sh_and_awk_where_cron_logind_and_curl_say_what_they_do(self):
        for slept in (0, 8 * 3600):
            told = self.run_pasted("linux", curl=self.CURL, crontab=self.TAB, loginctl=self.logind(90, slept))
            self.assertIn(self.idle(told), range(89, 120), "the computer's sleep before is no idle time")
        self.assertIn(f"token={self.TOKEN}", told)
        self.assertTrue({"power=mains", "power=battery"} & set(told))
        for logind in (self.logind(5, hint="no"), self.logind(-300)):
            self.assertEqual(self.idle(self.run_pasted("linux", curl=self.CURL, crontab=self.TAB, loginctl=logind)), 0, "in use, or a clock that was set back")
        up = float(pathlib.Path("/proc/uptime").read_text(encoding="ascii").split()[0])
        nobody = self.idle(self.run_pasted("linux", curl=self.CURL, crontab=self.TAB, loginctl=self.logind(None)))
        self.assertIn(nobody, range(int(up) - 1, int(up) + 30), "nobody is logged in since the computer began")
        self.assertIn("idle=", self.run_pasted("linux", curl=self.CURL, crontab=self.TAB, loginctl="#!/bin/sh\nexit 1\n"))

    def test_macos_by_a_real_sh_and_awk_where_its_own_programs_say_what_they_are_documented_to(self):
        ioreg = '#!/bin/sh\necho "    | |   \\"HIDIdleTime\\" = 312456789012"\necho "    | |   \\"HIDIdleTime\\" = 1"\n'
        for source, power in (("Battery Power", "battery"), ("AC Power", "mains")):
            pmset = f'#!/bin/sh\necho "Now drawing from \'{source}\'"\nprintf " -InternalBattery-0 (id=1)\\t57%%; discharging; 3:12 remaining present: true\\n"\n'
            told = self.run_pasted("macos", curl=self.CURL, launchctl="#!/bin/sh\n", ioreg=ioreg, pmset=pmset)
            self.assertEqual(told[told.index("-d"):], ["-d", f"token={self.TOKEN}", "-d", "idle=312", "-d", f"power={power}", "-d", "charge=57", "http://127.0.0.1:4480/computer"])

    def test_windows_has_its_script_in_quotes_as_powershell_reads_them(self):
        made = self.made("windows")
        script = re.search(r"Set-Content \$f '((?:[^']|'')*)'; Register-ScheduledTask", made)
        self.assertIsNotNone(script, made)
        inner = script[1].replace("''", "'")
        for text in (made.replace(script[1], ""), inner):
            for pair in ("()", "{}", "[]"):
                self.assertEqual(text.count(pair[0]), text.count(pair[1]), pair)
            self.assertEqual(text.count('"') % 2, 0)
        self.assertEqual(inner.count("'") % 2, 0)
        for needed in ("GetLastInputInfo", "PowerLineStatus", "Invoke-RestMethod http://127.0.0.1:4480/computer -Method Post"):
            self.assertIn(needed, inner)
        for needed in ("-AllowStartIfOnBatteries", "-DontStopIfGoingOnBatteries"):
            self.assertIn(needed, made)

    def test_the_address_is_the_port_that_a_browser_used_behind_virtualbox_s_nat_and_else_the_machine_s(self):
        self.made("linux", "http://192.168.1.7")
        with tempfile.NamedTemporaryFile("w") as product:
            product.write("VirtualBox\n")
            product.flush()
            self.assertEqual(where.pasted("localhost:4481", ["10.0.2.15"], product.name), "http://localhost:4481")
            self.assertEqual(where.pasted("10.0.2.15", ["10.0.2.15"], product.name), where.FORWARDED)
        self.assertEqual(where.pasted("localhost:8080", ["192.168.1.7"], "/nonexistent"), "http://192.168.1.7")
        self.assertEqual(where.pasted("127.0.0.1:8080", [], "/nonexistent"), "http://127.0.0.1:8080")
