"""Who is who in HTCondor. wow-config writes it before the login, and needs no more of HTCondor's configuration than this."""
from wow.config.facts import Facts
from wow.lib import paths

FILE = f"{paths.RUN}/condor.map"
CLAIMED = "anybody@claimed"
"""Who only claims a name in an open pool, whatever the name; the pool's zone follows."""


def text(pool: Facts) -> str:
    """
    Who is who in HTCondor, by how they prove it. The first match wins; // is a regular expression, in which / is escaped. A name without a domain gets
    UID_DOMAIN, which is this machine's own name: nobody is anybody on another machine. Jobs and who only claims a name come out in domains that are
    trusted with nothing.
    """
    zone, subject = pool.zone, rf"\/O={pool.name}\/OU"
    label = "[a-z0-9-]+"
    people = [f"FS /^wowjob[0-9]+$/ job@slot.{zone}", r"FS /(.*)/ \1"]
    if pool.open:
        return "\n".join([*people, f"CLAIMTOBE /.*/ {CLAIMED}.{zone}"]) + "\n"
    return "\n".join([rf"SSL /^{subject}=manager\/CN={label}$/ manager@pool.{zone}", rf"SSL /^{subject}=worker\/CN=({label})$/ \1@node.{zone}", *people]) + "\n"
