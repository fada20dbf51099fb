"""Whose computers may see the page follows the machine's cards, whatever changes while the last change is looked at."""

import time

from tally import must
from waiting import until

UNIT = "/run/systemd/system/wow-upstream.service.d"
SLOW = 3
"""Seconds that the look at a change takes here, as on a machine that is busy."""
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
        beta.sh(f"mkdir -p {UNIT}; printf '[Service]\\nExecStartPost=/usr/bin/sleep {SLOW}\\n' > {UNIT}/slow.conf; systemctl daemon-reload")
        try:
            written(beta, "state")
            until(lambda: beta.sh("systemctl is-active wow-upstream.service; :").strip(), lambda said: said == "activating", "the change is looked at")
            time.sleep(SLOW / 3)
            beta.run("ip", "address", "add", f"{NEXT}.1/24", "dev", card)
            written(beta, card_file)
            must(beta.sh("systemctl is-active wow-upstream.service; :").strip() == "activating", "the look ended too soon for this test")
            until(near, lambda said: NEXT in said, "the fence knows the second network")
        finally:
            beta.sh(f"rm -r {UNIT}; systemctl daemon-reload; ip address del {NEXT}.1/24 dev {card}")
        written(beta, card_file)
        until(near, lambda said: NEXT not in said and "192.0.2.0/24" in said, "the fence forgets it")


def written(beta, name):
    """Has a file of networkd's written anew, as it does that itself."""
    beta.sh(f"cp {NETWORKD}/{name} {NETWORKD}/.new && mv {NETWORKD}/.new {NETWORKD}/{name}")
