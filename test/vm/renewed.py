"""The CA's certificate is renewed on the running pool: each machine goes by the new one within a minute, and seals, enrols and runs jobs as before."""

import re

import echo
import probe
import steal
from login import ADMIN
from tally import must

MINUTE = 60
EVERY = ("alpha", "beta", "manager")
HELD = "cat /var/lib/wow/ca.pem"
LOADED = "swanctl --list-certs --type x509 --flag ca --pem"
"""The CA's certificates that charon has, as PEM: the newest, and those that it read before in this run."""
LOSE = "rm /var/lib/wow/node.pem && systemctl restart ipopd.service && systemctl restart --no-block wow-join.service"
ENDED = """
cd /var/lib/wow/ca
begin=$(openssl x509 -in ca.pem -noout -startdate -dateopt iso_8601 | tr -dc 0-9)
openssl x509 -in ca.pem -key ca.key -sha384 -not_before "${begin}Z" -not_after "${begin%??}59Z" 2> /dev/null
"""
"""A certificate of the CA as it was, but that it ended in the minute in which it began: five minutes before the pool was made."""
AGED = """
python3 -I -S - <<'END'
import sqlite3
with sqlite3.connect("/var/lib/wow/ca/ca.db", timeout=30) as table:
    row = "not_before = not_before - 2160000, not_after = not_after - 2160000"
    assert table.execute(f"UPDATE certificates SET {row} WHERE serial = '%s'").rowcount == 1
END
"""
"""Makes a certificate 25 days older for the CA, which gives a machine the same one until less than a third of its life is left."""
RENEW = """
python3 -I -S - <<'END'
import sys
sys.path.insert(0, "/usr/lib/wow/node")
from wow.join import certificates, enrol, renew
certificates.renew_from = lambda certificate: 0
once = enrol.once
enrol.once = lambda pool, address, shows: once(pool, address, shows=True)
sys.exit(renew.main())
END
"""
"""What wow-renew does on the day on which it is time. ipopd asks for none before that day, unless it shows the CA the one that it has."""
OFF = """
systemctl stop ipopd.service strongswan.service && rm /var/lib/wow/notice-7 && cat > /var/lib/wow/ca.pem <<'END' &&
%s
END
systemctl start strongswan.service ipopd.service
"""
"""What a machine comes back with that was off from before the renewal until the former certificate had ended."""


def certificates(pem):
    """The base 64 of each certificate in a text."""
    return {"".join(one.split()) for one in re.findall("-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", pem, re.S)}


def started():
    """When each startd of beta's that the manager's collector has was started."""
    return set(probe.root("manager", """condor_status -constraint 'regexp("^beta", Machine)' -af DaemonStartTime""").split())


def alone(tally, lab):
    """What needs no other case."""
    run(tally, lab)
    beta = lab.vms["beta"]
    beta.pull_plug()
    beta.power_on()
    probe.until(lambda: (lab.look(), [step.name for step in beta.console.steps])[1], lambda names: "ready" in names, "ready", "beta does not get ready")
    kept(tally, "beta")


def run(tally, lab):
    """beta keeps it over a restart that follows."""
    carol, manager, alpha = lab.login("manager", ADMIN), lab.address("manager"), lab.address("alpha")
    former = certificates(probe.root("alpha", HELD))
    with tally.case("wow-ca renew-authority, typed by an administrator: within a minute each machine has the CA's new certificate, and charon, too"):
        refused = lab.login("manager").run("wow-ca renew-authority --early", check=False)
        must(refused.returncode == 2, f"who is no administrator renews it: {refused.stdout}{refused.stderr}")
        must("Nothing was changed" in carol.run("wow-ca renew-authority").stdout, "it is renewed before the middle of its life")
        said = carol.run("wow-ca renew-authority --early").stdout
        begin = steal.now()
        must(own() != former and "ends on" in said, said)
        for name in EVERY:
            follows(name)
        needed = steal.now() - begin
        lab.say(f"all have it after {needed:.0f} s")
        must(needed < MINUTE, f"that took {needed:.0f} s")
    with tally.case("machines agree on new keys under it, with certificates from before, and packets go on"):
        for name, address in (("alpha", manager), ("beta", alpha)):
            probe.root(name, "swanctl --terminate --ike overlay --force --timeout 1 || :")
            probe.until(lambda name=name, address=address: echo.answers(name, address, 3), lambda count: count == 3, "command", f"{name} can't ping {address} any more")
            must(f"remote-host={address} " in probe.root(name, "swanctl --list-sas --raw"), f"{name} has no SA with {address}")
    with tally.case("alpha renews its own certificate, as after two thirds of its life, and whoever agrees on keys with it next is shown the new one"):
        serial = probe.joined_status("alpha")["certificate"]["serial"]
        probe.root("manager", AGED % serial)
        probe.root("alpha", RENEW)
        must(probe.joined_status("alpha")["certificate"]["serial"] != serial, "ipopd has the one of before")
        new = certificates(probe.root("alpha", "cat /var/lib/wow/node.pem"))
        probe.until(lambda: probe.root("alpha", "stat -c '%i %Y %s' /var/lib/wow/node.pem | cmp - /run/wow/node.seen 2>&1 || :"), lambda said: not said.strip(), "command", "charon has not read it")
        probe.root("alpha", "swanctl --terminate --ike overlay --force --timeout 1 || :")
        probe.until(lambda: echo.answers("alpha", manager, 3), lambda count: count == 3, "command", "alpha can't ping the manager any more")
        probe.until(lambda: certificates(probe.root("manager", "swanctl --list-certs --type x509 --pem")), lambda shown: new <= shown, "command", "alpha shows the one of before")
    with tally.case("HTCondor's daemons believe each other by it, with no session of before"):
        before = started()
        must(before, "the collector does not have beta before")
        probe.root("beta", "systemctl restart --no-block condor.service")
        probe.until(started, lambda now: now and not now & before, "pool", "beta's new startd is not in the pool")
    with tally.case("beta, which has lost its own certificate, enrols by it, and seals as before"):
        serial = probe.joined_status("beta")["certificate"]["serial"]
        probe.root("beta", LOSE)
        probe.until(lambda: probe.root("beta", "cat /var/lib/wow/node.pem || :"), certificates, "certificate", "the CA gives beta no certificate")
        anew = probe.until(lambda: probe.status("beta").get("certificate"), bool, "certificate", "ipopd does not take it")
        must(anew["serial"] == serial, f"the key's certificate was {serial}, it is {anew}")
        probe.until(lambda: echo.answers("beta", alpha, 3), lambda count: count == 3, "ring", "beta can't ping alpha with it")
    with tally.case("alpha, as if it had been off until the former certificate had ended, hears of the new one from members that it cannot believe yet, and seals"):
        probe.root("alpha", OFF % probe.root("manager", ENDED))
        follows("alpha")
        probe.root("alpha", "swanctl --terminate --ike overlay --force --timeout 1 || :")
        probe.until(lambda: echo.answers("alpha", manager, 3), lambda count: count == 3, "ring", "alpha can't ping the manager with it")


def own():
    """The CA's own certificate, on the manager."""
    return certificates(probe.root("manager", "cat /var/lib/wow/ca/ca.pem"))


def follows(name):
    """Waits until a machine goes by the CA's newest certificate."""
    newest = own()
    probe.until(lambda: certificates(probe.root(name, HELD)), lambda held: held == newest, "command", f"{name} has another ca.pem")
    probe.until(lambda: certificates(probe.root(name, LOADED)), lambda loaded: newest <= loaded, "command", f"charon on {name} has not read it")


def kept(tally, name):
    """A machine was switched on, with a configuration disk that has the former one."""
    with tally.case(f"{name}, started with a configuration disk of before, goes by the CA's new certificate, and charon has no other"):
        follows(name)
        must(certificates(probe.root(name, LOADED)) == own(), "charon has another one, too")
