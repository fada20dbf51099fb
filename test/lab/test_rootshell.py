"""The root shell's protocol, against a shell on a socket that comes late."""

import os
import socket
import subprocess
import tempfile
import threading
import unittest

import lab_path  # noqa: F401
import rootshell


class RootShellTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        runtime, rootshell.RUNTIME = rootshell.RUNTIME, folder.name
        greeting, rootshell.GREETING = rootshell.GREETING, 0.1
        asked, rootshell._ASKED = rootshell._ASKED, os.path.join(folder.name, "asked")
        self.addCleanup(lambda: (setattr(rootshell, "RUNTIME", runtime), setattr(rootshell, "GREETING", greeting), setattr(rootshell, "_ASKED", asked)))
        self.listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.listener.close)
        self.listener.bind(rootshell.path("guest"))
        self.listener.listen(1)

    def shell(self, delay):
        """A guest whose shell begins to read after a while."""
        link, _ = self.listener.accept()
        with link:
            threading.Event().wait(delay)
            subprocess.run(["/bin/sh"], stdin=link, stdout=link, stderr=link, check=False)

    def ask(self, script, delay=0.0):
        guest = threading.Thread(target=self.shell, args=(delay,))
        guest.start()
        try:
            return rootshell.ask("guest", script, timeout=20)
        finally:
            guest.join()

    def test_what_a_script_says_and_how_it_ends_comes_back(self):
        self.assertEqual((3, "one\ntwo"), self.ask("echo one; echo two >&2; exit 3"))

    def test_a_shell_that_comes_late_answers_every_greeting_and_none_is_taken_for_output(self):
        self.assertEqual((0, "said"), self.ask("echo said", delay=1.0))

    def test_the_guest_learns_that_somebody_asked(self):
        self.assertEqual((0, ""), self.ask("true"))
        self.assertTrue(os.path.exists(rootshell._ASKED))

    def test_a_port_that_comes_later_is_the_one_of_the_options(self):
        asked = []
        qmp = type("Qmp", (), {"ask": lambda self, command, **fields: asked.append((command, fields))})()
        rootshell.plug(qmp)
        bus, port = (fields for command, fields in asked)
        self.assertEqual(("late", "virtio-serial-pci"), (bus.pop("bus"), bus["driver"]))
        words = rootshell.options("guest")
        self.assertEqual(["virtio-serial-pci,id=shells", "virtserialport,chardev=root,nr=1"], [words[at + 1] for at, word in enumerate(words) if word == "-device"])
        for fields in (bus, port):
            self.assertTrue(any(word.split(",")[0] == fields["driver"] for word in words))
        self.assertEqual(["pcie-root-port,id=late"], [word for word in rootshell.late("guest") if "pci" in word])


if __name__ == "__main__":
    unittest.main()
