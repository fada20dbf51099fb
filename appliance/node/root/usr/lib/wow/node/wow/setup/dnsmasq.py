"""dnsmasq.conf: the pool's names from ipopd, all others from the resolvers of the machine's own network, so that a broken overlay
never costs the guest its ordinary DNS."""
from wow.config.facts import Facts
from wow.lib import paths

CACHED_S = 30
"""Longest life of an answer in the cache: two networks may name the same resolver, and then nothing tells dnsmasq that they are two."""


def config(pool: Facts) -> str:
    """The file's text."""
    pool_server = f"{paths.DNS_HOST}#{paths.DNS_PORT}"
    return f"""listen-address=127.0.0.1
bind-interfaces
user=dnsmasq
group=nogroup
pid-file=
no-hosts
server=/{pool.zone}/{pool_server}
rev-server={pool.subnet},{pool_server}
resolv-file={paths.RUN}/upstream.conf
# A machine that was unknown a moment ago may have joined since.
no-negcache
# In another network a name may mean something else, and a machine that moved is found within seconds, whatever was said of its address.
clear-on-reload
max-cache-ttl={CACHED_S}
# Names with one label are ours to complete by the search list, not the world's to answer.
domain-needed
"""


def resolv_conf(pool: Facts) -> str:
    """/etc/resolv.conf of the guest."""
    return f"nameserver 127.0.0.1\nsearch {pool.zone}\noptions timeout:2 attempts:3\n"
