"""
What jobs reach, by the account of the socket: one account a slot.

On the overlay: other machines' ports, but no daemon's. On this machine: what the same slot listens on over TCP, its starter, and the pool's names.
Nothing of the physical network (fence.py).

Who listens is not known when a connection is opened; it is known when the listener answers. So what a slot opens carries the slot's number as its
mark, the kernel marks the answer with the mark of what it answers (net.ipv4.tcp_fwmark_accept, which the fence sets before it loads this), and an
answer leaves only where the listener's account has that number. No connection is tracked, which would cost every packet of the overlay. An answer's
reset has no mark and passes: a closed port is closed, one of somebody else's is silent. Datagrams have no answer to judge, so of UDP there are only
the names; those are asked of ipopd, which knows the pool's alone, and not of the machine's resolver, which knows the world's.
"""
from wow.lib import agreed, paths

ACCOUNTS = f"{paths.FIRST_JOB_UID}-{paths.LAST_JOB_UID}"
NUMBERS = range(paths.FIRST_JOB_UID, paths.LAST_JOB_UID + 1)
DAEMONS = f"{paths.CONDOR_PORT}, {paths.HISTORY_PORT}, {paths.DAEMON_PORTS[0]}-{paths.DAEMON_PORTS[1]}"
# A starter carries a job's files in the job's account; what tells it from the job is the control group that it was started in.
STARTERS_GROUP = "system.slice/condor.service/leaf"
IS_STARTER = f"socket cgroupv2 level {STARTERS_GROUP.count('/') + 1} @starters"
# What the resolver's address becomes on the way to ipopd, so that ipopd's answer is known as one to a slot.
RESOLVER, ASKER = "127.0.0.1", "127.0.0.53"


def sets() -> str:
    """The map of an account to its mark, and the set of accounts with their own mark."""
    marks = ", ".join(f"{number} : {number:#x}" for number in NUMBERS)
    pairs = ", ".join(f"{number} . {number:#x}" for number in NUMBERS)
    return f"""  map slots {{ type uid : mark; elements = {{ {marks} }}; }}
  set own_slot {{ type uid . mark; elements = {{ {pairs} }}; }}
  set starters {{ type cgroupsv2; }}
"""


def starters() -> str:
    """nft text that tells the fence the control group of HTCondor's own processes. It is another one after each start of the service."""
    return f'flush set inet wow starters\nadd element inet wow starters {{ "{STARTERS_GROUP}" }}\n'


def loopback() -> list[str]:
    """Rules of the output hook for what leaves by the loopback interface."""
    return [f'oifname "lo" meta skuid {ACCOUNTS} goto slot_lo', f'oifname "lo" meta mark {ACCOUNTS} goto slot_answered']


def chains() -> list[tuple[str, list[str]]]:
    """(name, rules) of the chains that slots' packets go through."""
    asked = f"ip daddr {paths.DNS_HOST} meta l4proto {{ tcp, udp }} th dport {paths.DNS_PORT} counter accept"
    opens = "tcp flags & (syn | ack) == syn"
    return [
        # Of the slot's own sockets. Without a mark: whom a person's program connected to, and what the slot itself opened.
        ("slot_lo", [asked, f"{IS_STARTER} counter accept",
                     f"{opens} tcp dport {{ {paths.PAGE_PORT}, {DAEMONS} }} counter reject with tcp reset",
                     f"{opens} meta mark set meta skuid map @slots counter accept",
                     "meta l4proto tcp meta skuid . meta mark @own_slot counter accept", "meta l4proto tcp meta mark 0 counter accept", "counter drop"]),
        # Of anybody's socket to which a slot connected. A starter listens in its job's account, so the job's first answer has passed above, and goes on
        # in HTCondor's; no other slot's starter and no daemon gets so far.
        ("slot_answered", [f"tcp flags & syn == 0 {IS_STARTER} counter accept", "counter drop"]),
        # To other machines; what may leave at all is tap_out's to say.
        ("slot_tap", [f"{IS_STARTER} return",
                      f"tcp dport {{ 22, {paths.CA_PORT}, {paths.POSSESSION_PORT}, {agreed.LAYERS_PORT}, {agreed.SHARE_PORT}, {DAEMONS} }} counter reject with tcp reset",
                      "udp dport { 53, 67, 68, 500, 4500 } counter drop", "meta l4proto != { tcp, udp, icmp } counter drop"]),
    ]


def names() -> str:
    """The chain that sends a slot's questions for names to ipopd, and ipopd's answers back as the resolver's."""
    there = f"ip saddr set {ASKER} ip daddr set {paths.DNS_HOST}"
    back = f"ip saddr set {RESOLVER} ip daddr set {RESOLVER}"
    rules = "".join(
        f'    oifname "lo" meta skuid {ACCOUNTS} ip daddr {RESOLVER} {kind} dport 53 {there} {kind} dport set {paths.DNS_PORT}\n'
        f'    oifname "lo" ip saddr {paths.DNS_HOST} ip daddr {ASKER} {kind} sport {paths.DNS_PORT} {back} {kind} sport set 53\n' for kind in ("udp", "tcp"))
    return f"""  chain slot_names {{
    type filter hook output priority raw; policy accept;
{rules}  }}
"""
