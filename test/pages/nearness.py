"""Whose computers may see the page follows the machine's cards, whatever changes while the last change is looked at."""

from tally import must
from waiting import until

UNIT = "/run/systemd/system/wow-upstream.service.d"
GO = "/run/near-goes-on"
HOLD = f"/usr/bin/timeout 600 /bin/sh -c 'until [ -e {GO} ]; do sleep 0.1; done'"
"""The look at a change lasts until this test has said so, as on a machine that is busy."""
LOOKED = "start-post"
"""What systemd says of it then: the addresses were read, and it has not ended."""
NETWORKD = "/run/systemd/netif"
"""Where networkd writes of a card what it has of it, as soon as its address is there. Of an address that was given by hand it does not."""
NEXT = "10.93.0"


def run(tally, house):
    """beta's card gets a second network while its first is looked at, and loses it again."""
    beta = house.beta
    card = beta.sh("ip -4 -oneline address show scope global | awk '$2 != \"wow0\" { print $2; exit }'").strip()

    card_file = "links/" + beta.sh(f"cat /sys/class/net/{card}/ifindex").strip()

    def near():
        return beta.run("nft", "list", "set", "inet", "wow", "near").stdout

    with tally.case("a network that a card gets while the last change is looked at is near as well, and no more when it is gone"):
        beta.sh(f"mkdir -p {UNIT}; cat > {UNIT}/slow.conf; systemctl daemon-reload", text_in=f"[Service]\nExecStartPost={HOLD}\n")
        try:
            written(beta, "state")
            until(lambda: state(beta), lambda said: said == LOOKED, "the change is looked at")
            beta.run("ip", "address", "add", f"{NEXT}.1/24", "dev", card)
            written(beta, card_file)
            must(state(beta) == LOOKED, "the look ended too soon for this test")
            beta.sh(f": > {GO}")
            until(near, lambda said: NEXT in said, "the fence knows the second network")
        finally:
            # It may go on for a while: a look that has just been made waits for the word, too, and would wait for its whole time.
            beta.sh(f": > {GO}; rm -rf {UNIT}; systemctl daemon-reload; ip address del {NEXT}.1/24 dev {card}")
        written(beta, card_file)
        until(near, lambda said: NEXT not in said and "192.0.2.0/24" in said, "the fence forgets it")
        beta.sh(f"rm {GO}")


def state(beta):
    """How far systemd is with the look."""
    return beta.run("systemctl", "show", "--property", "SubState", "--value", "wow-upstream.service").stdout.strip()


def written(beta, name):
    """Has a file of networkd's written anew, as it does that itself."""
    beta.sh(f"cp {NETWORKD}/{name} {NETWORKD}/.new && mv {NETWORKD}/.new {NETWORKD}/{name}")
