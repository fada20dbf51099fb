"""What may enter and leave this machine: nftables for both sides, block policies of IPsec for the tap.

Two tables guard the tap. `inet wow` sees packets as sockets do, before sealing and after opening; `netdev wow_wire` sees what is on the
wire, raw sockets included. A stopped charon takes its policies away; the block policies and both tables stay. Five sets are filled as
the machine learns: `own` (its address), `ca` (the CA, only while it enrols), `resolvers` (DNS of its own network),
`near` (the prefixes of its own network, whose computers may see the web page), `origins` (ports of web servers that have the pool's
stack; those of pool.conf are there at boot)."""
from wow.config.facts import Facts
from wow.lib import agreed, paths
from wow.lib.origin import Origin
from wow.seal import slots

# Weaker than charon's traps (383616) and SAs, stronger than no policy at all.
BLOCK_PRIORITY = 400000
# Stronger than charon's traps: what must go in the clear.
PASS_PRIORITY = 100000

# Where nodes of one network find each other, and where the kernel says that it listens there: IGMPv3, or 2 where a querier speaks that.
IGMP_GROUPS = f"{{ 224.0.0.22, 224.0.0.2, {agreed.MULTICAST_GROUP} }}"

# What of this machine is for itself alone: logins by ssh and browsers come from its own network, HTCondor's other ports from its own programs.
LOCAL_PORTS = f"tcp dport {{ 22, {paths.PAGE_PORT}, {paths.DAEMON_PORTS[0]}-{paths.DAEMON_PORTS[1]} }} counter drop"

IKE = "udp sport 500 udp dport 500"
# The version byte of IKEv2 at its place: nobody may carry ESP in UDP on port 500 and so move an SA to another address.
IKE_V2 = f"{IKE} @th,200,8 0x20"


# What the machine needs of its own network to have an address there, and to know of it: in and out.
LINK_IN = ("icmp type { destination-unreachable, time-exceeded } counter accept",
           "icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, packet-too-big, mld-listener-query } counter accept",
           "udp sport 547 udp dport 546 counter accept")
LINK_OUT = ("icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld-listener-done, mld2-listener-report } counter accept",
            "udp sport 546 udp dport 547 counter accept")
DHCP_IN, DHCP_OUT = "udp sport 67 udp dport 68 counter accept", "udp sport 68 udp dport 67 counter accept"
# The web page, for computers of the machine's own network.
PAGE_IN = f"ip saddr @near tcp dport {paths.PAGE_PORT} counter accept"
PAGE_OUT = f"ip daddr @near tcp sport {paths.PAGE_PORT} tcp flags & (syn | ack) != syn counter accept"

DEVELOP_IN = "meta l4proto tcp tcp flags & (syn | ack) != syn counter accept"
DEVELOP_OUT = 'meta skuid { 0, "_apt" } meta l4proto tcp counter accept'
"""While a module is developed root and apt, which fetches under an account of its own, call by TCP whom they like; nobody calls them."""


IS_ORIGIN = f"meta skuid {paths.ORIGIN_UID}"
"""What wow-origin@ sends."""
ORIGIN_OUT = ['oifname "lo" ip daddr 127.0.0.1 meta l4proto { tcp, udp } th dport 53 counter accept', f'oifname {{ "lo", "{paths.TAP}" }} counter drop',
              "ip protocol tcp tcp dport @origins counter accept", "counter drop"]
"""What it may send: questions for names to this machine, and TCP to the ports of the origins beside the pool. Their addresses may change each hour, so what is held is
the account, which has one program."""


def sockets(pool: Facts, is_develop: bool = False) -> str:
    """The table inet wow, loaded before any network device is up. is_develop: a module is developed in this start."""
    ports = {Origin(one).port for one in pool.origins}
    tap_in, tap_out = _open_tap(pool) if pool.open else _sealed_tap(pool)
    return f"""# Generated from pool.conf. The fence of this machine; what it lets through: docs/operating.md.
table inet wow
delete table inet wow
table inet wow {{
  set own {{ type ipv4_addr; }}
  set ca {{ type ipv4_addr; }}
  set resolvers {{ type ipv4_addr; }}
  set near {{ type ipv4_addr; flags interval; auto-merge; }}
  set origins {{ type inet_service; {f"elements = {{ {_listed(ports)} }} " if ports else ""}}}
{slots.sets()}{"".join(_chain(name, rules) + chr(10) for name, rules in slots.chains())}{slots.names()}{_chain("tap_in", [LOCAL_PORTS, *tap_in, DHCP_IN, "counter drop"])}
{_chain("tap_out", [*tap_out, DHCP_OUT, "counter drop"])}
{_chain("origin_out", ORIGIN_OUT)}
{_chain("physical_in", [
    f"udp dport {pool.port} counter accept",
    f"ip daddr {agreed.MULTICAST_GROUP} udp dport {agreed.MULTICAST_PORT} counter accept",
    f"ip6 daddr {agreed.MULTICAST_GROUP_6} udp dport {agreed.MULTICAST_PORT} counter accept",
    "igmp type membership-query counter accept",
    f"meta l4proto {{ tcp, udp }} socket mark {agreed.OVERLAY_MARK:#x} counter accept",
    *_called(pool),
    DHCP_IN,
    "ip saddr @resolvers udp sport 53 counter accept",
    "ip saddr @resolvers tcp sport 53 tcp flags & (syn | ack) != syn counter accept",
    "tcp dport 22 counter accept",
    PAGE_IN,
    *LINK_IN,
    "tcp sport @origins tcp flags & (syn | ack) != syn counter accept",
    *([DEVELOP_IN] if is_develop else []),
    "counter drop"])}
{_chain("physical_out", [
    f"meta skuid {slots.ACCOUNTS} counter drop",
    f"udp sport {pool.port} counter accept",
    f"meta l4proto {{ tcp, udp }} meta mark {agreed.OVERLAY_MARK:#x} counter accept",
    f"ip daddr {IGMP_GROUPS} ip protocol igmp counter accept",
    DHCP_OUT,
    'ip daddr @resolvers meta skuid "dnsmasq" meta l4proto { tcp, udp } th dport 53 counter accept',
    "tcp sport 22 tcp flags & (syn | ack) != syn counter accept",
    PAGE_OUT,
    *LINK_OUT,
    *([DEVELOP_OUT] if is_develop else []),
    "counter drop"])}
  chain input {{
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    iifname "{paths.TAP}" jump tap_in
    jump physical_in
  }}
  chain output {{
    type filter hook output priority filter; policy drop;
    {chr(10).join([*slots.loopback(), f"{IS_ORIGIN} goto origin_out"]).replace(chr(10), chr(10) + "    ")}
    oifname "lo" accept
    oifname "{paths.TAP}" meta skuid {slots.ACCOUNTS} jump slot_tap
    oifname "{paths.TAP}" jump tap_out
    jump physical_out
  }}
  chain forward {{
    type filter hook forward priority filter; policy drop;
  }}
}}
"""


def _called(pool: Facts) -> "list[str]":
    """The rule for those who call the overlay by TCP, none where nobody may. A SYN finds the listening socket, and its mark. What follows finds a request in the
    place of a socket, which has no mark: without this rule no call ever comes through. A SYN to a socket that is not ipopd's stays outside, whatever its port."""
    ports = pool.values["tcp", "ports"]
    if ports == "none":
        return []
    numbers = {pool.port, agreed.HTTPS_PORT} if ports == "auto" else {int(port) for port in ports.split()}
    return [f"tcp dport {{ {_listed(numbers)} }} tcp flags & syn == 0 counter accept"]


def without_a_pool() -> str:
    """The table inet wow of a machine that waits for a pool.conf: it gets an address on its own network, whose computers see its web page, and that is all."""
    return f"""# Made without a pool.conf: the web page is reached, and nothing else.
table inet wow
delete table inet wow
table inet wow {{
  set resolvers {{ type ipv4_addr; }}
  set near {{ type ipv4_addr; flags interval; auto-merge; }}
{_chain("physical_in", [DHCP_IN, PAGE_IN, *LINK_IN, "counter drop"])}
{_chain("physical_out", [DHCP_OUT, PAGE_OUT, *LINK_OUT, "counter drop"])}
  chain input {{
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    jump physical_in
  }}
  chain output {{
    type filter hook output priority filter; policy drop;
    oifname "lo" accept
    jump physical_out
  }}
  chain forward {{
    type filter hook forward priority filter; policy drop;
  }}
}}
"""


def wire(pool: Facts) -> str:
    """The table netdev wow_wire, loaded as soon as the tap exists."""
    net = pool.subnet
    if pool.open:
        rules = [f"ip saddr {net} ip daddr {net} counter accept"]
    else:
        enrol = _manager_enrolment(net, "counter accept") if pool.is_manager else []
        rules = ["ip protocol esp counter accept", f"{IKE_V2} counter accept", *_node_enrolment("counter accept"), *enrol]
    return f"""# Generated from pool.conf. What may be on the wire of the tap, in both directions.
table netdev wow_wire
delete table netdev wow_wire
table netdev wow_wire {{
  set ca {{ type ipv4_addr; }}
{_chain("wire", ["ether type arp counter accept", *rules, "udp sport { 67, 68 } udp dport { 67, 68 } counter accept", "counter drop"])}
  chain egress_wire {{
    type filter hook egress device "{paths.TAP}" priority 0; policy accept;
    jump wire
  }}
  chain ingress_wire {{
    type filter hook ingress device "{paths.TAP}" priority 0; policy accept;
    jump wire
  }}
}}
"""


def policies(pool: Facts) -> str:
    """Lines for `ip -batch`: everything of the subnet is blocked unless charon seals it. Empty for an open pool."""
    if pool.open:
        return ""
    net, everywhere = pool.subnet, "0.0.0.0/0"
    lines = [_policy(everywhere, net, "", "out", "block", BLOCK_PRIORITY),
             _policy(net, everywhere, "", "in", "block", BLOCK_PRIORITY),
             _policy(net, everywhere, "", "fwd", "block", BLOCK_PRIORITY),
             _policy(everywhere, net, "proto udp sport 68 dport 67", "out", "allow", PASS_PRIORITY),
             _policy(net, everywhere, "proto udp sport 67 dport 68", "in", "allow", PASS_PRIORITY)]
    if pool.is_manager:
        lines += _pass_enrolment(net, net, paths.POSSESSION_PORT, paths.CA_PORT)
    return "\n".join(lines) + "\n"


def own_address(address: str) -> str:
    """nft text that tells the fence this machine's address."""
    return f"flush set inet wow own\nadd element inet wow own {{ {address} }}\n"


def origin_ports(ports: "set[int]") -> str:
    """nft text that lets wow-origin@ call these ports beside the pool, and no others."""
    return "flush set inet wow origins\n" + (f"add element inet wow origins {{ {_listed(ports)} }}\n" if ports else "")


def open_enrolment(ca: str) -> str:
    """nft text that lets this machine and the CA talk in the clear, on two ports."""
    return close_enrolment() + "".join(f"add element {table} ca {{ {ca} }}\n" for table in ("inet wow", "netdev wow_wire"))


def close_enrolment() -> str:
    """nft text that ends it."""
    return "flush set inet wow ca\nflush set netdev wow_wire ca\n"


def open_enrolment_policies(address: str, ca: str) -> str:
    """Lines for `ip -batch` beside open_enrolment."""
    return "\n".join(_pass_enrolment(f"{address}/32", f"{ca}/32", paths.CA_PORT, paths.POSSESSION_PORT)) + "\n"


def close_enrolment_policies(address: str, ca: str) -> str:
    """Lines for `ip -batch` beside close_enrolment. The kernel finds a policy by its selector and direction."""
    lines = _pass_enrolment(f"{address}/32", f"{ca}/32", paths.CA_PORT, paths.POSSESSION_PORT)
    return "\n".join(line.split(" action ")[0].replace("policy update", "policy delete") for line in lines) + "\n"


def _sealed_tap(pool: Facts) -> tuple[list[str], list[str]]:
    net, verdict = pool.subnet, "counter accept"
    mine_in, mine_out = f"ip saddr {net} ip daddr @own", f"ip saddr @own ip daddr {net}"
    enrol_in = _node_enrolment(verdict)[::2]
    enrol_out = _node_enrolment(verdict)[1::2]
    if pool.is_manager:
        enrol_in += [f"{mine_in} tcp dport {paths.CA_PORT} {verdict}", f"{mine_in} tcp sport {paths.POSSESSION_PORT} {verdict}"]
        enrol_out += [f"{mine_out} tcp sport {paths.CA_PORT} {verdict}", f"{mine_out} tcp dport {paths.POSSESSION_PORT} {verdict}"]
    return ([f"ip protocol esp {mine_in} {verdict}", f"{mine_in} {IKE} {verdict}", f"meta ipsec exists {mine_in} {verdict}", *enrol_in],
            [f"ip protocol esp {mine_out} {verdict}", f"{mine_out} {IKE} meta skuid 0 {verdict}", f"rt ipsec exists ip daddr {net} {verdict}", *enrol_out])


def _open_tap(pool: Facts) -> tuple[list[str], list[str]]:
    net = pool.subnet
    return [f"ip saddr {net} ip daddr @own counter accept"], [f"ip saddr @own ip daddr {net} counter accept"]


def _node_enrolment(verdict: str) -> list[str]:
    """In, out, in, out: the node asks the CA, the CA asks the node to prove its address."""
    return [f"ip saddr @ca tcp sport {paths.CA_PORT} {verdict}", f"ip daddr @ca tcp dport {paths.CA_PORT} {verdict}",
            f"ip saddr @ca tcp dport {paths.POSSESSION_PORT} {verdict}", f"ip daddr @ca tcp sport {paths.POSSESSION_PORT} {verdict}"]


def _manager_enrolment(net: str, verdict: str) -> list[str]:
    ports = f"{{ {paths.CA_PORT}, {paths.POSSESSION_PORT} }}"
    return [f"ip saddr {net} ip daddr {net} tcp dport {ports} {verdict}", f"ip saddr {net} ip daddr {net} tcp sport {ports} {verdict}"]


def _pass_enrolment(here: str, there: str, asked: int, answered: int) -> list[str]:
    """asked: the port of the other side that this one connects to; answered: its own port that the other side connects to."""
    return [_policy(here, there, f"proto tcp dport {asked}", "out", "allow", PASS_PRIORITY),
            _policy(there, here, f"proto tcp sport {asked}", "in", "allow", PASS_PRIORITY),
            _policy(here, there, f"proto tcp sport {answered}", "out", "allow", PASS_PRIORITY),
            _policy(there, here, f"proto tcp dport {answered}", "in", "allow", PASS_PRIORITY)]


def _policy(source: str, destination: str, ports: str, direction: str, action: str, priority: int) -> str:
    selector = f"src {source} dst {destination}{' ' + ports if ports else ''}"
    return f"xfrm policy update {selector} dir {direction} action {action} priority {priority}"


def _listed(ports: "set[int]") -> str:
    return ", ".join(map(str, sorted(ports)))


def _chain(name: str, rules: list[str]) -> str:
    return f"  chain {name} {{\n" + "".join(f"    {rule}\n" for rule in rules) + "  }"
