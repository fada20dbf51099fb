"""One machine that sends to eight others at once, a flow to each."""

import contextlib
import time

import measure
from clients import lease
from node import Node
from sealing import environment
from waiting import until


def eight(star, folder, program, library, seconds):
    """One flow to the first alone, then one to each at once: Mb/s of both, and the least flow's part of the mean."""
    first, *others = [Node(star, name, folder, program, "bench", environment=environment(library)) for name in star.addresses]
    try:
        first.start()
        until(first.status, lambda status: status["ring"]["joined"], "a joins")
        lease(first)
        inner = {}
        for node in others:
            node.start(f"udp:{star.addresses['a']}:4433")
            until(node.status, lambda status: status["ring"]["joined"], f"{node.name} joins")
            inner[node.name] = lease(node)["ip"]
            first.run("ping", "-c", "1", "-W", "10", inner[node.name])
            until(lambda node=node: first.peer(node), lambda peer: peer.get("path") == "direct", f"{node.name} is direct")
        alone = sum(_flows(star, dict([next(iter(inner.items()))]), seconds))
        together = _flows(star, inner, seconds)
        return {"one_of_8_mbits": alone, "to_8_mbits": sum(together), "to_8_least": round(min(together) * len(together) / max(1, sum(together)), 2)}
    finally:
        for node in (first, *others):
            node.end()


def _flows(star, inner, seconds):
    """Mb/s of each flow; all run at once."""
    with contextlib.ExitStack() as running:
        for name, address in inner.items():
            running.enter_context(measure.server(star, name, address))
        time.sleep(measure.SETTLE)
        clients = [(running.enter_context(measure.client(star, "a", address, "-t", str(seconds))), address) for address in inner.values()]
        return [measure.mbits(measure.report(client, address)["end"]["sum_received"]) for client, address in clients]
