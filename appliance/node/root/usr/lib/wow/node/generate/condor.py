"""HTCondor's configuration: machines are known by their certificate (SSL), people of this machine by their account (FS).

What is not obvious was measured. HTCondor ignores addresses in certificates, so the collector is named, and NETWORK_HOSTNAME is the name
in this machine's certificate. A shadow that notices a lost connection loses the job's output (23.9.6): the long keepalive and timeouts
keep it from noticing an outage of ten minutes. Three Python transfer plugins cost the startd 28 s in an emulated guest. Without
STARTER_ALLOW_RUNAS_OWNER = False the administrator of any machine could act as any user of all others.

HTCondor's timers go by the wall clock. MAX_TIME_SKIP, which has the master restart its daemons, knows no direction: a sleep of the host would
end jobs that go on after it. What a clock that is set back does, `setback` mends (decision 0020).

The schedd reads a startd's answer to a claim (two ClassAds, 14 kB) with a timeout of 1 s (dc_startd.cpp, ClaimStartdMsg::readMsg), and
condor_read counts in whole seconds (condor_rw.cpp): an answer whose packets come before and after the clock's next second is late after
milliseconds. Then the schedd forgets the claim, the startd keeps it, and nothing is matched until the startd asks about it: after
MAX_CLAIM_ALIVES_MISSED (6) x ALIVE_INTERVAL (300 s) / 3. The collector reads machines' ads just so (collector_engine.cpp, collect); a
lost one comes again after UPDATE_INTERVAL. So both wait *_TIMEOUT_MULTIPLIER times as long for all that they ask, which is why it is not
more: the collector a whole second, the schedd two, as one of four answers over a line of 128 kbit/s was lost to less (test/vm, on a slow
machine). A forgotten claim is found after 30 s.

A schedd that asks the negotiator to look at its new job (RESCHEDULE) waits in the middle of the TLS handshake of their first talk. If the
negotiator begins a cycle just then it waits for this very schedd, and both do so until one gives up: 60 s were seen, and nobody else is
matched meanwhile. So schedds don't ask, and cycles follow each other more closely. A schedd that is gone keeps the others waiting for
NEGOTIATOR_TIMEOUT (30 s by default) in each cycle."""
from generate import paths

MAPFILE = f"{paths.RUN}/condor.map"


def config(pool, address, host):
    """The drop-in for this machine."""
    return _common(pool, address, host) + (_open_pool(pool) if pool.open else _certified(pool)) + (_manager(pool) if pool.is_manager else _worker())


def mapfile(pool):
    """Subjects of certificates to names in HTCondor. The first match wins; // is a regular expression, in which / is escaped."""
    zone, subject = pool.zone, rf"\/O={pool.name}\/OU"
    label = "[a-z0-9-]+"
    lines = [rf"FS /(.*)/ \1"]
    if not pool.open:
        lines = [rf"SSL /^{subject}=manager\/CN={label}$/ manager@pool.{zone}", rf"SSL /^{subject}=worker\/CN=({label})$/ \1@node.{zone}"] + lines
    else:
        lines += [rf"CLAIMTOBE /(.*)/ \1"]
    return "\n".join(lines) + "\n"


def _common(pool, address, host):
    zone = pool.zone
    return f"""# Generated from pool.conf and this machine's certificate.
CONDOR_HOST = manager.{zone}
COLLECTOR_HOST = $(CONDOR_HOST):9618
COLLECTOR_NAME = {pool.name}
UID_DOMAIN = {zone}
TRUST_DOMAIN = {zone}
NETWORK_HOSTNAME = {host}.{zone}
FILESYSTEM_DOMAIN = {host}.{zone}
DEFAULT_DOMAIN_NAME = {zone}
NETWORK_INTERFACE = {address}
BIND_ALL_INTERFACES = False
ENABLE_IPV6 = False

TCP_KEEPALIVE_INTERVAL = 3200
STARTER_UPLOAD_TIMEOUT = 3600
JOB_DEFAULT_LEASE_DURATION = 3600
RECONNECT_BACKOFF_CEILING = 30
MAX_TIME_SKIP = 604800

UPDATE_INTERVAL = 30
MASTER_UPDATE_INTERVAL = 120
SEC_DEFAULT_AUTHENTICATION_TIMEOUT = 120
SCHEDD_INTERVAL = 30
RUNBENCHMARKS = False
ENABLE_KERNEL_TUNING = False
FILETRANSFER_PLUGINS = $(LIBEXEC)/curl_plugin
SPOOL = /var/lib/condor/spool
MAX_DEFAULT_LOG = 2 Mb
MAX_NUM_DEFAULT_LOG = 1
CERTIFICATE_MAPFILE = {MAPFILE}
CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS = True
LOCAL_USERS = *@$(UID_DOMAIN)/$(IP_ADDRESS)
ALLOW_READ = *
ALLOW_WRITE = $(LOCAL_USERS), execute-side@matchsession, submit-side@matchsession
ALLOW_ADMINISTRATOR = root@$(UID_DOMAIN)/$(IP_ADDRESS), condor@$(UID_DOMAIN)/$(IP_ADDRESS)
"""


def _certified(pool):
    zone, state = pool.zone, paths.STATE
    return f"""
use SECURITY : Strong
SEC_DEFAULT_CRYPTO_METHODS = AES
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, SSL
SEC_CLIENT_AUTHENTICATION_METHODS = FS, SSL
AUTH_SSL_SERVER_CERTFILE = {state}/node.pem
AUTH_SSL_SERVER_KEYFILE = {state}/node.key
AUTH_SSL_CLIENT_CERTFILE = {state}/node.pem
AUTH_SSL_CLIENT_KEYFILE = {state}/node.key
AUTH_SSL_SERVER_CAFILE = {state}/ca.pem
AUTH_SSL_CLIENT_CAFILE = {state}/ca.pem
AUTH_SSL_SERVER_USE_DEFAULT_CAS = False
AUTH_SSL_CLIENT_USE_DEFAULT_CAS = False
COLLECTOR_BOOTSTRAP_SSL_CERTIFICATE = False
ALLOW_DAEMON = condor@$(UID_DOMAIN)/$(IP_ADDRESS), manager@pool.{zone}
ALLOW_NEGOTIATOR = manager@pool.{zone}
ALLOW_ADVERTISE_MASTER = *@node.{zone}, manager@pool.{zone}
ALLOW_ADVERTISE_STARTD = *@node.{zone}
ALLOW_ADVERTISE_SCHEDD = *@node.{zone}
"""


def _open_pool(pool):
    # Nobody can be told from anybody in an open pool; machines say who they are, and the fence keeps sources inside the subnet.
    return f"""
SEC_DEFAULT_AUTHENTICATION = REQUIRED
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLIENT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLAIMTOBE_INCLUDE_DOMAIN = False
ALLOW_DAEMON = condor@$(UID_DOMAIN)
ALLOW_NEGOTIATOR = condor@$(UID_DOMAIN)
ALLOW_ADVERTISE_MASTER = condor@$(UID_DOMAIN)
ALLOW_ADVERTISE_STARTD = condor@$(UID_DOMAIN)
ALLOW_ADVERTISE_SCHEDD = condor@$(UID_DOMAIN)
"""


def _manager(pool):
    own_ads = ""
    if not pool.open:
        # What a machine says about itself is believed from that machine's certificate only; the manager's own daemons are condor@.
        # Name ends in the machine's name; only a submitter's is the person's. The collector's ad about itself comes from nobody.
        own = f'strcat(split(Machine, ".")[0], "@node.{pool.zone}")'
        whole = f'strcat(split(Machine, ".")[0], ".{pool.zone}")'
        own_ads = (f'COLLECTOR_REQUIREMENTS = (MyType =?= "Collector" && AuthenticatedIdentity =?= undefined) || regexp("^condor@", AuthenticatedIdentity) || AuthenticatedIdentity =?= "manager@pool.{pool.zone}" || '
                   f'(AuthenticatedIdentity =?= {own} && Machine =?= {whole} && '
                   f'(MyType =?= "Submitter" || regexp(strcat("(^|@)", Machine, "$"), Name)))\n')
    return f"""
DAEMON_LIST = MASTER, COLLECTOR, NEGOTIATOR
COLLECTOR_TIMEOUT_MULTIPLIER = 2
NEGOTIATOR_INTERVAL = 5
NEGOTIATOR_TIMEOUT = 10
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
CLASSAD_LIFETIME = 420
{own_ads}"""


def _worker():
    slots = "".join(f"SLOT1_{number}_USER = wowjob{number}\n" for number in range(1, paths.JOB_ACCOUNTS + 1))
    return f"""
DAEMON_LIST = MASTER, SCHEDD, STARTD
SCHEDD_TIMEOUT_MULTIPLIER = 3
SCHEDD_SEND_RESCHEDULE = False
ALIVE_INTERVAL = 15
use FEATURE : PartitionableSlot
EXECUTE = {paths.STATE}/execute
RESERVED_MEMORY = 128
RESERVED_DISK = 64
START = True
SUSPEND = False
PREEMPT = False
KILL = False
STARTER_ALLOW_RUNAS_OWNER = False
DEDICATED_EXECUTE_ACCOUNT_REGEXP = wowjob[0-9]+
{slots}"""
