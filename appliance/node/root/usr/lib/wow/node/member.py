"""What a machine with an address and a certificate becomes: its name, its IPsec, its CA where it is the manager, its HTCondor."""
import os
import time

import console
import crl
import files
import system
from errors import WowError
from generate import condor, names, paths, swanctl

CONDOR_CONF = f"{paths.RUN}/condor.conf"
WOW_CA = "/usr/lib/wow/ca/wow-ca"
SWANCTL_CONF = f"{paths.RUN}/swanctl.conf"
QUESTION, LONGEST_QUESTION = 10.0, 30.0
"""Seconds that the first question to the pool may take, each later one as much more, and the most."""
TIMED_OUT = 124
"""system.run's code of a program that took too long."""


def is_manager(pool):
    """Whether pool.json is a manager's."""
    return pool["role"] == "manager"


def name(pool, address, host):
    """Host name and /etc/hosts."""
    with open("/proc/sys/kernel/hostname", "w", encoding="ascii") as file:
        file.write(host)
    files.write("/etc/hostname", host + "\n")
    files.write("/etc/hosts", names.hosts(pool["zone"], address, host, is_manager(pool)))


def seal(pool, address, patience=60.0):
    """Loads credentials, connection and trap policy into charon."""
    files.write(SWANCTL_CONF, swanctl.config(address, pool["subnet"]))
    crl.install()
    limit = time.monotonic() + patience
    system.systemctl("start", "strongswan.service")
    while True:
        code, output = system.run(["swanctl", "--load-all", "--noprompt"])
        if code == 0:
            console.say("ipsec", policies="loaded", subnet=pool["subnet"])
            return
        if time.monotonic() > limit:
            last = output.splitlines()[-1] if output else f"swanctl ended with {code}"
            raise WowError(last, "Look with: swanctl --load-all; journalctl -u strongswan. Nothing leaves unsealed meanwhile", SWANCTL_CONF)
        time.sleep(0.5)


def serve_ca(address):
    """Starts the CA on the manager's address, or again when the address is another one."""
    if files.write_if_changed(f"{paths.RUN}/ca-address", f"ADDRESS={address}\n"):
        system.systemctl("restart", "--no-block", "wow-ca.service")
    else:
        system.systemctl("start", "--no-block", "wow-ca.service")


def start_condor(pool, address, host):
    """Starts HTCondor. One that runs with the same configuration is left alone, so that its jobs go on."""
    changed = files.write_if_changed(CONDOR_CONF, condor.config(_Facts(pool), address, host))
    system.systemctl("restart" if changed else "start", "--no-block", "condor.service")


class _Facts:
    """pool.json in the form that the generators ask for."""

    def __init__(self, pool):
        self.name, self.zone, self.subnet, self.open = pool["name"], pool["zone"], pool["subnet"], pool["open"]
        self.is_manager = is_manager(pool)


def wait_for_daemon(name, patience=20.0, folder="/var/log/condor", pause=0.5):
    """Waits until a daemon of HTCondor has written where it listens: asking the pool earlier only takes processor time from its start."""
    limit = time.monotonic() + patience
    while time.monotonic() < limit and not os.path.exists(f"{folder}/.{name}_address"):
        time.sleep(pause)


def wait_for_pool(pool, host, patience=90.0, ask=system.run, pause=time.sleep):
    """Waits until the manager lists this machine; tells after a while what keeps it, and goes on waiting."""
    start, told, tries = time.monotonic(), 0.0, 0
    wait_for_daemon("collector" if is_manager(pool) else "startd")
    kind = ["-collector"] if is_manager(pool) else []
    while True:
        tries += 1
        # The first question begins while IPsec and sessions are being made. One that hangs there is asked anew rather than waited for.
        code, output = ask(["condor_status", *kind, "-constraint", f'Machine == "{host}.{pool["zone"]}"', "-af", "Name"],
                           timeout=min(QUESTION * tries, LONGEST_QUESTION))
        if code == 0 and output:
            console.say("pool", manager=f"manager.{pool['zone']}", slot=output.splitlines()[0])
            return
        waited = time.monotonic() - start
        last = output.splitlines()[-1] if output else "no answer in time" if code == TIMED_OUT else "the manager does not list this machine"
        print(f"{waited:.1f} s after HTCondor's start: {last}", flush=True)  # for the journal
        if waited - told >= patience:
            console.say_error(WowError(last, "Look with: condor_status; journalctl -u condor; tail /var/log/condor/*Log. It is tried again by itself", "", "pool"))
            told = waited * 2 - patience
        # Asking costs a second of an emulated processor, which HTCondor needs just now.
        pause(2.0 if waited < patience else 10.0)
