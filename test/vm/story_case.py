"""Point 1 as a whole: what `make wow` shows, each claim a case."""

import json

import probe
import proof
import sites
import story
from tally import must

HYBRID = "X25519MLKEM768"


def start(tally, lab):
    """Starts the pool; whether it runs."""
    with tally.case("three machines come up by themselves and are in the pool"):
        lab.build(sites.POOL)
        story.start_pool(lab)
        story.pool_table(lab)
    return "ready" in lab.timeline.as_json().get("alpha", {})


def run(tally, lab, say):
    """Starts the pool and tells the story; returns whether the pool runs, for the cases that need it."""
    if not start(tally, lab):
        return False
    with tally.case("five jobs of alice on alpha run on beta, and their output says so"):
        jobs, _ = story.run_jobs(lab)
        must({job["host"] for job in jobs} == {"beta"}, f"they ran on {[job['host'] for job in jobs]}")
    overlay = {}
    with tally.case("alpha and beta talk straight through both NATs"):
        overlay.update(story.ports(lab))
        say(f"direct path after {story.direct_path(lab, overlay)} s")
    with tally.case("the keys of alpha and beta, which both have OpenSSL 3.5, are agreed on by the hybrid of X25519 and ML-KEM"):
        agreed = {name: key_exchange(name, address) for name, address in (("alpha", lab.address("beta")), ("beta", lab.address("alpha")))}
        must(set(agreed.values()) == {HYBRID}, f"they are agreed on by {agreed}")
    with tally.case("each worker has a port of its own for the overlay, and the manager the one that all know"):
        must(overlay[sites.MANAGER.address] == sites.OVERLAY_PORT and len(set(overlay.values())) == len(overlay), f"they are {overlay}")
    verdicts = {}
    with tally.case("every packet on the taps and on the wire is of a kind that is allowed"):
        verdicts.update(story.captures(lab, overlay))
        say.plain("\n".join(proof.lines(verdicts)))
        story.sealed(verdicts)
    with tally.case("of what strongSwan sealed ipopd seals the heads alone: by its own count most of the ESP that crossed alpha's tap"):
        sent, received = esp_packets("alpha")
        crossed = verdicts["alpha-tap"].kinds["ESP"]
        say(f"{crossed} ESP packets on alpha's tap; {sent} were sent and {received} received with their heads alone sealed")
        must(min(sent, received) > 0 and sent + received > crossed / 2, "most went through a second seal")
    with tally.case("a captured plain packet would have failed the proof"):
        must(proof.wan(sites.ALPHA, lab.file("beta", "wan.pcap"), overlay).violations, "beta's packets passed as alpha's")
    story.write(lab.folder, "report.json", {"timeline": lab.timeline.as_json(), "capture": proof.as_json(verdicts)})
    say.plain("\n".join(lab.timeline.table()))
    return True


def key_exchange(name, address):
    """What a machine's session with the machine of an address was agreed on by, as OpenSSL calls it, in capitals."""
    said = json.loads(probe.root(name, "wow peers --json"))
    return next((peer["key_exchange"].upper() for peer in said if peer["address"] == address), None)


def esp_packets(name):
    """ESP packets that ipopd of a machine sent and received without sealing them a second time."""
    found = {sample["labels"]["direction"]: sample["value"] for sample in json.loads(probe.root(name, "wow metrics --json"))
             if sample["name"] == "wow_esp_packets_total"}
    return int(found["sent"]), int(found["received"])
