"""nftables rules for each kind of gate: interface `wan` outwards, bridge `lan` inwards.

Linux's masquerade keeps the source port where it is free, and one mapping for all destinations, but it breaks that as soon as two
machines use one port. Daemons have ports of their own, as in the image; the probes have one port, so the second machine's has a mapping of
its own here, as a NAT of RFC 4787 would give it.
"""

from natprobe import PROBE_PORT
from sites import SITES

SECOND_PORT = 14433
FIRST_MOVED_PORT = 21000
SEQUENCE = range(30000, 32000)

FENCE = """
table ip fence {{
  chain forward {{
    type filter hook forward priority filter; policy drop;
    iifname "lan" {allow} accept
    ct state established,related accept
    {dnat}
  }}
  chain input {{
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    iifname "lan" accept
  }}
}}
"""

STRICT = """
table ip strict {{
  chain forward {{ type filter hook forward priority -1; iifname "lan" ct state invalid {verdict}; }}
}}
"""

FENCE_SIX = """
table ip6 fence {
  chain forward {
    type filter hook forward priority filter; policy drop;
    iifname "lan" accept
    ct state established,related accept
  }
  chain input {
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    iifname "lan" accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
  }
}
"""

NAT = """
table ip nat {{
  map holes {{ type inet_service : ipv4_addr . inet_service; flags dynamic,timeout; timeout 2m; }}
  set spoken {{ type ipv4_addr . inet_service; flags dynamic,timeout; timeout 2m; }}
  map moved {{ type inet_service : inet_service; }}
  chain in {{
    type nat hook prerouting priority dstnat;
    {inward}
  }}
  chain out {{
    type nat hook postrouting priority srcnat;
    {outward}
  }}
  chain learn {{
    type filter hook postrouting priority 110;
    oifname "wan" meta l4proto udp update @holes {{ udp sport : ct original ip saddr . ct original proto-src }}
    oifname "wan" meta l4proto udp update @spoken {{ ip daddr . udp sport }}
  }}
}}
"""

INWARD = {
    "full": 'iifname "wan" meta l4proto udp dnat ip to udp dport map @holes',
    "address": 'iifname "wan" meta l4proto udp ip saddr . udp dport @spoken dnat ip to udp dport map @holes',
}


def text(gate):
    """The whole rule set of one gate."""
    if ":" in gate.lan:
        return FENCE_SIX
    fence = FENCE.format(allow=gate.allow, dnat="ct status dnat accept" if gate.kind in INWARD or gate.maps else "")
    fence += STRICT.format(verdict=gate.strict) if gate.strict else ""
    return fence if gate.kind == "fence" else fence + NAT.format(inward=inward(gate), outward=outward(gate))


def inward(gate):
    """What lets packets in that answer nothing, and what turns packets around that are meant for the gate's own outside."""
    lines = [INWARD[gate.kind]] if gate.kind in INWARD else []
    if gate.hairpin:
        lines.append(f'iifname "lan" ip daddr {gate.outside} meta l4proto udp dnat ip to udp dport map @holes')
    return "\n    ".join(lines)


def outward(gate):
    """How source addresses are translated."""
    lines = [
        f'ip saddr {gate.lan}.3 udp sport {PROBE_PORT} snat to {gate.outside}:{SECOND_PORT}'
        if gate.kind == "port" else "",
        f'oifname "lan" ct status dnat ip saddr {gate.lan}.0/24 snat to {gate.outside}' if gate.hairpin else ""]
    if gate.kind == "sequential":
        ports = ", ".join(f"{number} : {port}" for number, port in enumerate(SEQUENCE))
        lines.append(f'oifname "wan" meta l4proto udp snat ip to {gate.outside} : numgen inc mod {len(SEQUENCE)} map {{ {ports} }}')
    if gate.kind == "moving":
        lines.append(f'oifname "wan" meta l4proto udp snat ip to {gate.outside} : udp sport map @moved')
    lines.append('oifname "wan" masquerade' + (" random,fully-random" if gate.kind == "random" else ""))
    return "\n    ".join(line for line in lines if line)


def forget(gate, times):
    """nft commands beside `conntrack -F`; `times` says how often this gate has forgotten already."""
    if gate.kind == "fence":
        return ""
    commands = "flush map ip nat holes\nflush set ip nat spoken\nflush map ip nat moved\n"
    if gate.kind != "moving":
        return commands
    ports = (PROBE_PORT, *(site.port for site in SITES if site.gate == gate.name))
    moved = ", ".join(f"{port} : {FIRST_MOVED_PORT + times * len(ports) + number}" for number, port in enumerate(ports))
    return f"{commands}add element ip nat moved {{ {moved} }}\n"
