"""HTCondor as Debian configures it, on the same machines over the same overlay, on a port of its own: Debian's condor_config and its one file of security,
with the roles that the manual gives the machines, and a pool password, which those settings ask for. Only what keeps two HTCondors on one machine apart is
set beside."""

import secrets

from waiting import until

PORT = 9640
CONFIG = "/run/debian/condor_config"
ROLES = {"manager": "CentralManager", "alpha": "Submit, Execute", "beta": "Execute"}
# Of Debian's condor_config all but the folder where this machine's own settings lie. The queue and the jobs' folders are on the disk where ours are: /var is
# memory, as an image's is, and memory waits for no disk.
FOLDERS = """
LOCAL_CONFIG_DIR = /run/debian/config.d
RUN = /var/debian/run
LOG = /var/debian/log
LOCK = /var/debian/lock
SPOOL = /home/debian/spool
EXECUTE = /home/debian/execute
SEC_PASSWORD_DIRECTORY = /var/debian/passwords.d
SEC_TOKEN_SYSTEM_DIRECTORY = /var/debian/tokens.d
TRUST_DOMAIN = bench
CONDOR_HOST = {manager}
COLLECTOR_HOST = $(CONDOR_HOST):{port}
SHARED_PORT_PORT = {port}
NETWORK_INTERFACE = {own}
ENABLE_IPV6 = False
ENABLE_KERNEL_TUNING = False
NUM_CPUS = {slots}
use ROLE : {roles}
"""
MAKE = """mkdir -p /run/debian/config.d /var/debian
cp /etc/condor/config.d/00-htcondor-9.0.config /run/debian/config.d/
cat /etc/condor/condor_config - > /run/debian/condor_config
for folder in /var/debian/run /var/debian/log /var/debian/lock /home/debian/spool /home/debian/execute; do install -d -o condor -g condor $folder; done
install -d -m 700 /var/debian/passwords.d /var/debian/tokens.d"""
START = """export CONDOR_CONFIG={config}
printf %s {password} | condor_store_cred add -c -i - > /dev/null
condor_token_create -identity condor@bench -token pool
systemd-run --unit=debian --quiet -p Delegate=yes -p DelegateSubgroup=leaf -E CONDOR_CONFIG={config} condor_master -f"""


def start(pool, slots):
    """Starts it on all machines; so many slots on each that has some."""
    password, manager = secrets.token_hex(16), pool.manager.address
    for name, roles in ROLES.items():
        machine = pool.machines[name]
        machine.sh(MAKE, text_in=FOLDERS.format(manager=manager, own=machine.address, port=PORT, slots=slots, roles=roles))
        machine.sh(START.format(config=CONFIG, password=password))
    until(lambda: pool.alpha.sh(f"CONDOR_CONFIG={CONFIG} timeout 10 condor_status -af Machine; :").split(), lambda found: len(set(found)) == 2, "Debian's HTCondor is a pool", 90)


def stop(pool):
    """Ends it."""
    for name in ROLES:
        pool.machines[name].sh("systemctl stop debian.service; :", timeout=180)
