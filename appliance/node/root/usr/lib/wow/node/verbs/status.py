"""wow status"""
import json
import os

import clock
import control
import dispatch
import files
import table
from generate import paths

USAGE = "wow status [--json] [--socket PATH]"
SUMMARY = "this machine's address, name, certificate and place in the ring, and what is wrong"
LITTLE_ROOM = 50_000_000


def run(arguments):
    """Prints the status; exit code 1 when ipopd cannot be asked."""
    found, words = dispatch.options(arguments, ("--json",), ("--socket",))
    dispatch.no_words(words)
    status = control.ask("status", found.get("--socket", paths.SOCKET))
    if "--socket" not in found:
        status["warnings"] = status.get("warnings", []) + own_warnings()
    if "--json" in found:
        print(json.dumps(status))
    else:
        peers = control.ask("peers", found.get("--socket", paths.SOCKET))["peers"]
        print("\n".join(lines(status, peers)))


def own_warnings(run_folder=paths.RUN, home="/home"):
    """Warnings that ipopd knows nothing of."""
    found = (files.read(f"{run_folder}/warnings", "") or "").splitlines()
    try:
        facts = os.statvfs(home)
        free = facts.f_bavail * facts.f_frsize
        if free < LITTLE_ROOM:
            found.append(f"{home} is almost full ({table.size(free)} left): remove files there, else jobs and certificates cannot be kept")
    except OSError:
        pass
    return found


def links(peers):
    """How many peers there are by each path, their usual round trip, and who is lossy."""
    if not peers:
        return "none yet"
    counts = ", ".join(f"{count} {path}" for path in ("direct", "relay", "ring") if (count := sum(peer["path"] == path for peer in peers)))
    times = sorted(peer["rtt_ms"] for peer in peers if peer["rtt_ms"] is not None)
    losses = [peer["loss"] for peer in peers if peer.get("loss") is not None]
    return counts + (f"; median round trip {times[len(times) // 2]:.1f} ms" if times else "") + (
        f"; {sum(losses) / len(losses) * 100:.0f} % of the last pings lost" if losses else "")


def hosts(router):
    """Router mode: how many hosts of the LAN have an address, and each of them."""
    served = sorted((host for host in router["hosts"] if host["address"]), key=lambda host: [int(part) for part in host["address"].split(".")])
    rows = [["router", f"serves a LAN: {len(served)} of {router['limit']} hosts have an address"]]
    for host in served:
        heard = "not heard yet" if host["heard_s"] is None else f"heard {table.duration(host['heard_s'])} ago"
        rows.append(["", f"{host['address']} {host['mac']}, {heard}, lease for {table.duration(host['lease_s'])}"])
    return rows


_LETS_IN = {
    "unknown": "not known yet",
    "independent": "everybody who knows the port",
    "address-dependent": "machines that this one has sent to",
    "address-and-port-dependent": "machines that this one has sent to, from the port it sent to",
}


def lines(status, peers=()):
    """The status for people."""
    ring, certificate = status["ring"], status.get("certificate")
    rows = [["pool", status["pool"] + (" (open: no certificates, no IPsec; anybody with this pool.conf reads and writes)" if status["open"] else "")],
            ["address", f"{status['address']} in {status['subnet']}" if status["address"] else "none yet"],
            ["name", f"{status['host']}.{status['zone']}" if status["host"] else "none yet"],
            ["node", status["node"]],
            ["ring", f"joined, {ring['near']} near of {ring['connections']} connections" if ring["joined"] else "not joined: looking for a bootstrap node"]]
    if certificate:
        rows.append(["certificate", f"{certificate['role']} {certificate['host']} {certificate['address']}, valid until {certificate['not_after']}"])
    elif not status["open"]:
        rows.append(["certificate", "none yet: only the CA can be reached"])
    if revoked := status.get("revocations"):
        rows.append(["revoked", f"{revoked['certificates']} certificate{'' if revoked['certificates'] == 1 else 's'}, by the CA's list {revoked['number']}"])
    if "nat" in status:
        rows.append(["NAT", status["nat"]["text"]])
        rows.append(["lets in", _LETS_IN[status["nat"]["filtering"]] + f"; a silent link is kept open every {status['nat']['keep_alive_s']} s"])
        rows.append(["outside", ", ".join(status["nat"]["outside"]) or "not known yet"])
    if router := status.get("router"):
        rows += hosts(router)
    if told := status.get("clock"):
        rows.append(["clock", clock.describe(told)])
    rows.append(["manager", status["manager"] or "not known yet"])
    rows.append(["peers", links(peers)])
    if mapped := status.get("port_mapping"):
        hint = "" if mapped["public"] else ", but it stands behind another NAT itself"
        rows.append(["port", f"the gateway leads {mapped['external']} here, by {mapped['by']}{hint}"])
    if "offload" in status:
        slower = [f"{one['name']} ({one['why']})" for one in status["offload"] if not one["on"]]
        rows.append(["fast path", "off: " + "; ".join(slower) if slower else "everything on"])
    rows.append(["up", table.duration(status["uptime_s"])])
    return table.columns(rows) + [f"warning: {warning}" for warning in status.get("warnings", [])]
