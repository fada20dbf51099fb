"""Completion and manual pages: they are those of the programs' tables, and shells do with them what people expect."""

import importlib.machinery
import importlib.util
import os
import pathlib
import pty
import select
import subprocess
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARE = ROOT / "appliance/node/root/usr/share"
PATIENCE = 60.0


def generator():
    """appliance/help/generate as a module."""
    loader = importlib.machinery.SourceFileLoader("generate", str(ROOT / "appliance/help/generate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("generate", loader))
    loader.exec_module(module)
    return module


GENERATE = generator()
TABLES = GENERATE.tables()


class Files(unittest.TestCase):
    def test_what_is_kept_is_what_would_be_generated(self):
        for name, text in GENERATE.files().items():
            self.assertEqual((ROOT / name).read_text(encoding="utf-8"), text, f"{name} is stale: run appliance/help/generate")

    def test_wow_pool_names_each_of_its_own_verbs(self):
        said = GENERATE.said(str(GENERATE.WOW), "pool", "--help")
        own = {command["name"].removeprefix("pool ") for command in TABLES["wow"] if command["name"].startswith("pool ")}
        self.assertEqual(set(said.split()[3].split("|")), own)

    def test_help_has_one_form_whoever_reads_the_command_line(self):
        image = [[str(ROOT / "appliance/image" / name)] for name in ("stamp", "convert", "verify", "stack")]
        pool = [[str(ROOT / "appliance/pool/command"), *name.split()[1:]] for name in (one["name"] for one in TABLES["wow"]) if name.startswith("pool ")]
        self.assertGreater(len(pool), 10)
        for command in [[str(GENERATE.WOW), "peers"], *image, *pool]:
            lines = GENERATE.said(*command, "--help").splitlines()
            self.assertRegex(lines[0], r"^usage: wow [a-z]+ .*\[--json\]")
            self.assertEqual(lines[1], "", lines[0])
            self.assertRegex(lines[-1], "^  --[a-z-]+ ", lines[0])
            self.assertNotIn("optional arguments:", lines)
            self.assertNotIn("options:", lines)

    def test_a_manual_page_has_every_verb_and_option_and_no_line_that_roff_would_take_for_a_request(self):
        for program, commands in TABLES.items():
            page = (ROOT / f"docs/man/{program}.1").read_text(encoding="utf-8")
            plain = page.replace("\\-", "-")
            for command in commands:
                self.assertIn(f".SS {command['usage']}\n", plain)
                for option in command["options"]:
                    self.assertIn(f"{option['name']}\\fR", plain)
            self.assertLessEqual({line.split()[0] for line in page.splitlines() if line[:1] in (".", "'")},
                                 {'.\\"', ".TH", ".SH", ".SS", ".TP", ".B", ".I", ".br"})


class Bash(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        program = words[0]
        script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _${1//-/_}; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "--norc", "-c", script, str(SHARE / f"bash-completion/completions/{program}"), *words],
                              capture_output=True, text=True, check=False, cwd=ROOT)
        self.assertEqual([line for line in done.stderr.splitlines() if "compopt" not in line], [])
        return [line for line in done.stdout.splitlines() if line]

    def test_every_verb_and_option_is_offered_where_it_belongs(self):
        for program, commands in TABLES.items():
            self.assertEqual(self.complete(program, ""), [command["name"] for command in commands if " " not in command["name"]])
            for command in commands:
                *before, last = command["name"].split()
                self.assertEqual(self.complete(program, *before, last, "-"),
                                 [name for one in command["options"] for name in (one["name"], one["short"]) if name] + ["--help"])
                self.assertIn(last, self.complete(program, *before, last[:2]))

    def test_a_value_is_a_file_where_the_option_takes_one_and_nothing_of_ours_elsewhere(self):
        self.assertIn("README.md", self.complete("wow", "status", "--socket", "READ"))
        self.assertEqual(self.complete("wow-ca", "list", "--state", "appliance/no"), ["appliance/node"])
        self.assertEqual(self.complete("wow", "ping", "--count", ""), [])
        self.assertEqual(self.complete("wow", "module", ""), ["list", "develop", "diff", "publish"])
        self.assertEqual(self.complete("wow", "image", "stamp", "packer"), ["packer.json"])
        self.assertEqual(self.complete("wow", "pool", "upgrade", "packer"), ["packer.json"])
        self.assertEqual(self.complete("wow", "--ver"), ["--version"])


class Zsh(unittest.TestCase):
    """A real zsh at a terminal. What would be run is a function that tells its words."""

    def setUp(self):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": "/nonexistent", "LANG": "C.UTF-8"})
        self.addCleanup(self.end)
        self.said = ""
        self.type(f"PROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=({SHARE}/zsh/vendor-completions $fpath); autoload -Uz compinit; compinit -D -u\n"
                  "wow() { print -r -- \"GOT\" \"<$*>\" }; wow-ca() { wow ca \"$@\" }; wow rea''dy\n")
        self.heard("<ready>")

    def end(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.terminal)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def heard(self, what):
        """Waits until it says so."""
        limit = time.monotonic() + PATIENCE
        while what not in self.said:
            self.assertTrue(select.select([self.terminal], [], [], max(0.0, limit - time.monotonic()))[0], self.said)
            self.said += os.read(self.terminal, 65536).decode("utf-8", "replace")
        self.said = ""

    def test_the_tab_key_completes_verbs_options_and_words(self):
        for keys, line in (("wow sta\t\n", "<status>"), ("wow ping beta --tim\t3\n", "<ping beta --timeout 3>"), ("wow help do\t\n", "<help doctor>"),
                           ("wow module l\t\n", "<module list>"), ("wow pool cre\tlab --mach\t3\n", "<pool create lab --machines 3>"), ("wow-ca revoke beta --man\t\n", "<ca revoke beta --manager>"),
                           (f"wow status --socket {ROOT}/README.m\t\n", f"<status --socket {ROOT}/README.md>")):
            self.type(keys)
            self.heard(line)


if __name__ == "__main__":
    unittest.main()
