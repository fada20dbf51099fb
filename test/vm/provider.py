"""A web server beside the pool, which the pool's CA names as an origin: in virtual machines, by the units as systemd starts them. test/netns/outside.py has what a fence
lets nobody do; here the notice, wow-origins.service, wow-origin@ and wow-stack do their parts by themselves, behind a NAT."""

import hashlib
import pathlib
import re
import subprocess
import sys

import cleanup
import probe
import published
import sites
from login import ADMIN
from network import inside
from shell import run as command
from shell import start
from tally import must

ACTOR = pathlib.Path(__file__).resolve().parents[1] / "netns/outsider.py"
ADDRESS, PORT = f"{sites.INTERNET_PREFIX}.60", 8443
MACHINES = ("alpha", "beta")
CALL = """python3 -I -S - <<'END'
import os, pwd, socket
for who in %r:
    if not os.fork():
        try:
            uid = pwd.getpwnam(who).pw_uid if isinstance(who, str) else who
            os.setgroups([])
            os.setgid(65534)
            os.setuid(uid)
            with socket.socket() as link:
                link.settimeout(5)
                if link.connect_ex((%r, %d)) == 0:
                    print(who, flush=True)
        finally:
            os._exit(0)
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
END"""
"""All of them at once, by names or numbers; a line for each that reaches the web server."""
NO = "not from there:"
ACCOUNT, OTHERS = "wow-origin", ("root", "nobody", 2001)
"""The account that may reach an origin, and others: of those one is of a job's slot."""


class Server:
    """A web server of a folder by TLS on the public network, which no authority signed; `origin` is how it is named."""

    def __init__(self, lab, folder):
        self._lab, self._folder, self._process = lab, pathlib.Path(folder), None
        self._log = pathlib.Path(lab.file("web", "requests.log"))
        self.origin = ""

    def __enter__(self):
        key, pem = (pathlib.Path(self._lab.file("web", suffix)) for suffix in ("key", "pem"))
        command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=web",
            "-keyout", key, "-out", pem)
        der = subprocess.run(["openssl", "x509", "-in", pem, "-outform", "DER"], stdout=subprocess.PIPE, check=True).stdout
        self.origin = f"https://{ADDRESS}:{PORT}#sha256={hashlib.sha256(der).hexdigest()}"
        command(*inside(sites.INTERNET, "ip", "address", "add", f"{ADDRESS}/24", "dev", sites.INTERNET_BRIDGE))
        self._log.unlink(missing_ok=True)
        self._process = start(*inside(sites.INTERNET, sys.executable, ACTOR, "serve", self._folder, ADDRESS, PORT, pem, key), log=self._log)
        probe.until(self._log.read_text, lambda text: "ready" in text, "console", "the web server does not start")
        return self

    def __exit__(self, *_):
        cleanup.end([self._process.pid])
        self._process.wait()
        command(*inside(sites.INTERNET, "ip", "address", "del", f"{ADDRESS}/24", "dev", sites.INTERNET_BRIDGE))

    def served(self):
        """{(who asked, as it is seen on the public network; the file's name)} of what was sent whole."""
        lines = (line.split() for line in self._log.read_text(encoding="utf-8").splitlines())
        return {(words[0], words[6].removeprefix("/")) for words in lines if len(words) > 8 and words[5] == '"GET' and words[8] == "200"}


def run(tally, lab):
    """alpha and beta are in the pool, which has published nothing yet."""
    foreign = published.stack(lab.folder)
    folder = pathlib.Path(lab.folder, "stack")
    own = (folder / "stack").read_text(encoding="ascii").partition("architecture ")[0]
    with Server(lab, folder) as server:
        named(tally, lab, server)
        published.publish(tally, lab)
        published.own_part(tally, lab, foreign)
        gave(tally, server, dict(re.findall("^module ([a-z]+) [0-9]+ ([0-9a-f]{64})$", own, re.M)), foreign)
        taken_back(tally, lab)


def brought(name, module, digest):
    """What wow-stack of a machine says of a module, which it fetches anew where that had come from elsewhere: who is silent for 20 s is left, as a web server seems
    to be whose answer is for a guest that has next to no processor. With NO in it where it has not come from the web server."""
    told = probe.root(name, "journalctl -u wow-stack -o cat")
    if f"{module} came from https://{ADDRESS}:{PORT}" in told:
        return told
    probe.root(name, f"rm -f /run/layers/home/layers/{digest} && systemctl start wow-stack.service", "pool")
    return f"{NO} {told}"


def reached(name, *who):
    """Those of the accounts of a machine that reach the web server."""
    return set(probe.root(name, CALL % (who, ADDRESS, PORT)).split())


def named(tally, lab, server):
    """The CA names the web server before anything is published."""
    with tally.case("the CA names a web server beside the pool, and each machine knows it; while there is nothing to fetch nobody gets there"):
        said = lab.login("manager", ADMIN).run(f"wow-ca origins '{server.origin}'").stdout
        must(server.origin in said, said)
        for name in MACHINES:
            probe.until(lambda name=name: probe.root(name, "cat /var/lib/wow/notice-6 || :"), lambda text: server.origin in text, "command",
                        f"{name} does not hear of it")
            must(not (found := reached(name, ACCOUNT, *OTHERS)), f"on {name} it is reached by {found}")


def gave(tally, server, modules, foreign):
    """What was published comes from there. modules: {name: digest} of those that each machine took; foreign: the digest of another architecture's."""
    with tally.case("what the machines take comes from the web server, by TLS from behind their NATs"):
        for machine in (sites.ALPHA, sites.BETA):
            for module, digest in modules.items():
                probe.until(lambda name=machine.name, module=module, digest=digest: brought(name, module, digest), lambda told: NO not in told, "pool",
                            f"{module} does not come from there to {machine.name}")
                must((machine.public, digest) in server.served(), f"{machine.name} did not ask it for {module}")
            must(min(map(int, probe.root(machine.name, "cat /run/wow/origins.carried").split())) > 0, f"{machine.name} does not count what it had from there")
        must(foreign not in {digest for _, digest in server.served()}, "somebody asked for the other architecture's module")
    with tally.case("each machine's fence lets the one account there, and no other: neither root nor a job's"):
        for name in MACHINES:
            must(probe.root(name, "cat /run/wow/origins").split() == [server.origin], f"{name} knows other origins")
            found = reached(name, ACCOUNT, *OTHERS)
            must(found == {ACCOUNT}, f"on {name} it is reached by {found}")


def taken_back(tally, lab):
    """The CA names none any more."""
    with tally.case("taken back, the web server is out of reach for all accounts within seconds, while the machines run"):
        lab.login("manager", ADMIN).run("wow-ca origins --none")
        for name in MACHINES:
            probe.until(lambda name=name: reached(name, ACCOUNT), lambda found: not found, "command", f"{name}'s fence lets {ACCOUNT} out")
            must(probe.root(name, "cat /run/wow/origins") == "", f"{name} knows an origin")
