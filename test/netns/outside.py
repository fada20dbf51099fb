"""An origin beside the pool: the fence of a machine whose pool.conf names one lets wow-origin@ there, and nobody else; no job gains anything by it. The fence is the
machine's own text in a real kernel, the server a real one by TLS in another namespace."""

import contextlib
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

from shell import run as do
from tally import must
from topology import Topology
from waiting import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "appliance/node/root/usr/lib/wow/node"), str(ROOT / "test/node")]

import samples  # noqa: E402
from wow.config import users  # noqa: E402
from wow.lib import agreed, paths  # noqa: E402
from wow.seal import fence  # noqa: E402

WEB, MACHINE, STRANGER, PORT, OTHER = "192.0.2.50", "192.0.2.51", "192.0.2.52", 8443, 8444
SIZE = 3_000_000
ACTOR = str(pathlib.Path(__file__).with_name("outsider.py"))


class Outside:
    """A web server with one layer, on two ports, and a machine behind its fence."""

    def __init__(self):
        self.topology, self._stack = Topology(), contextlib.ExitStack()
        self.folder = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        # wow-origin reads the list of origins there.
        self.folder.chmod(0o755)
        self._processes, self._runs, self.known = [], 0, str(self.folder / "origins")
        layer = os.urandom(SIZE)
        self.digest = hashlib.sha256(layer).hexdigest()
        (self.folder / "stack").mkdir()
        (self.folder / "stack" / self.digest).write_bytes(layer)

    def __enter__(self):
        try:
            key, pem = self.folder / "key", self.folder / "pem"
            do("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=web",
               "-keyout", str(key), "-out", str(pem))
            der = subprocess.run(["openssl", "x509", "-in", str(pem), "-outform", "DER"], stdout=subprocess.PIPE, check=True).stdout
            self.origin = f"https://{WEB}:{PORT}#sha256={hashlib.sha256(der).hexdigest()}"
            self.topology.public("web", WEB)
            self.topology.public("machine", MACHINE)
            for port in (PORT, OTHER):
                self._serve("web", WEB, port, pem, key)
            self.topology.public("stranger", STRANGER)
            self._serve("machine", "0.0.0.0", PORT, pem, key)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _serve(self, where, address, port, pem, key):
        log = self.folder / f"log.{where}.{port}"
        with open(log, "wb") as file:
            words = self.topology.inside(where, sys.executable, ACTOR, "serve", str(self.folder / "stack"), address, str(port), str(pem), str(key))
            self._processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT))
        until(log.read_text, lambda text: "ready" in text, f"{address} serves")

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self.topology.close()
        self._stack.close()

    def fenced(self, **changes):
        """Puts the machine behind the fence of a pool.conf."""
        # There is no such account on every host, nor has it anything to do with this.
        self.topology.nft("machine", fence.sockets(samples.pool(**changes)).replace('"dnsmasq"', "997"))

    def settled(self, *own, signed=()):
        """Has wow-origins.service do its part on the machine. own: origins of pool.conf; signed: those that the CA signed."""
        text = f"{agreed.ORIGINS_HEAD}\n{''.join(f'origin {one}{chr(10)}' for one in signed)}".encode()
        # As ipopd keeps it: magic, kind, number, and a signature, which it has verified.
        (self.folder / "notice").write_bytes(b"WOWN" + bytes([agreed.ORIGINS_NOTICE]) + bytes(8) + b"\x01s" + text)
        must(do(*self._act("settle", self.known, str(self.folder / "notice"), *own)).stdout.strip() == "0", "wow-origins failed")

    def _act(self, *words, where="machine"):
        return self.topology.inside(where, sys.executable, ACTOR, *words)

    def fetch(self):
        """What came of it."""
        self._runs += 1
        folder = self.folder / str(self._runs)
        folder.mkdir()
        said = do(*self._act("fetch", str(folder), self.known, self.digest, str(SIZE))).stdout.strip().split("\n")[-1]
        must(said != "came" or hashlib.sha256((folder / self.digest).read_bytes()).hexdigest() == self.digest, "other bytes came")
        return said

    def opens(self, uid, host=WEB, port=PORT, source=0, where="machine"):
        """Whether an account's connection opens."""
        return do(*self._act("call", str(uid), host, str(port), str(source), where=where)).stdout.strip() == "open"

    def explain(self, error):
        """What failed, what the servers said, and the fence's counters."""
        return [str(error), *(line for path in sorted(self.folder.glob("log.*")) for line in path.read_text(encoding="utf-8").splitlines()[-6:]),
                *(line for line in do(*self.topology.inside("machine", "nft", "list", "table", "inet", "wow")).stdout.splitlines() if "packets" in line)]


def run(tally):
    """With an origin in pool.conf, and without."""
    accounts = {"a job": paths.FIRST_JOB_UID, "the last slot's job": paths.LAST_JOB_UID, "root": 0, "a person": users.FIRST_UID, "the web page": users.WEB_UID}
    with Outside() as there:
        with tally.case("all may call the web server while there is no fence, or this test would prove nothing", there.explain):
            for who, uid in {**accounts, "wow-origin": users.ORIGIN_UID}.items():
                must(there.opens(uid), f"{who} does not reach it")
            must(there.opens(0, MACHINE, PORT, PORT, "stranger"), "a stranger does not reach the machine")
        there.fenced(modules__origins=there.origin)
        pathlib.Path(there.known).write_text(f"{there.origin}\n", encoding="ascii")
        with tally.case("a machine whose pool.conf names an origin has a layer from there, past the overlay, through its fence", there.explain):
            must((said := there.fetch()) == "came", said)
        with tally.case("nobody else gets out by that: no job, no person, not root, not the web page", there.explain):
            for who, uid in accounts.items():
                must(not there.opens(uid), f"{who} reaches the origin")
        with tally.case("wow-origin itself reaches the origins' port alone, and nothing of its own machine", there.explain):
            must(not there.opens(users.ORIGIN_UID, port=OTHER), "it reaches another port")
            must(there.opens(0, "127.0.0.1"), "root does not reach the program of its own machine, so this proves nothing")
            must(not there.opens(users.ORIGIN_UID, "127.0.0.1"), "it reaches a program of its own machine")
        with tally.case("who calls from the origins' port is let in no more than anybody", there.explain):
            must(not there.opens(0, MACHINE, PORT, PORT, "stranger"), "the machine is called from the origins' port")
        there.fenced()
        with tally.case("a machine that runs, whose pool.conf names none, has a layer from an origin that the CA signed, and nobody else gets out", there.explain):
            must(not there.opens(users.ORIGIN_UID), "wow-origin reaches the web server before")
            there.settled(signed=[there.origin])
            must((said := there.fetch()) == "came", said)
            for who, uid in accounts.items():
                must(not there.opens(uid), f"{who} reaches the origin")
            must(not there.opens(users.ORIGIN_UID, port=OTHER), "it reaches another port")
            must(not there.opens(0, MACHINE, PORT, PORT, "stranger"), "the machine is called from the origins' port")
        with tally.case("an origin that is signed in its place shuts its port, and one of pool.conf beside it opens it again", there.explain):
            other = there.origin.replace(str(PORT), str(OTHER))
            there.settled(signed=[other])
            must((there.opens(users.ORIGIN_UID), there.opens(users.ORIGIN_UID, port=OTHER)) == (False, True), "other ports than those that are named are open")
            there.settled(there.origin, signed=[other])
            must((there.opens(users.ORIGIN_UID), there.opens(users.ORIGIN_UID, port=OTHER)) == (True, True), "not all that are named are open")
            must(pathlib.Path(there.known).read_text(encoding="ascii").split() == [there.origin, other], "pool.conf's is not the first")
        there.settled()
        with tally.case("where the CA took them back and pool.conf names none the fence lets nobody out, wow-origin neither", there.explain):
            must((said := there.fetch()) == "none", said)
            must(not there.opens(users.ORIGIN_UID), "it reaches the web server")
