"""Made of constants.json, files.json, programs.json of docs/contract by `test/figures --write`: what programs in
several languages, or several machines, must agree on."""

OVERLAY_PORT = 4433
"""UDP port of the overlay, unless the configuration says another."""
CA_PORT = 8443
"""TCP port of the CA on the manager, unless the configuration says another."""
POSSESSION_PORT = 8444
"""TCP port on which a machine proves to the CA that it has its address, unless the configuration says another."""
CONDOR_PORT = 9618
"""TCP port that all daemons of HTCondor on a machine share."""
SESSION_SECONDS = 3600
"""Seconds after which nodes agree on new keys, and each proves another boot id."""
HISTORY_PORT = 9619
"""TCP port on which a manager hands out the pool's figures and history."""
POOL_PAGE_PATH = "/pool-page"
"""Path there of what other machines of the pool show on their own pages; it takes no token."""
LARGEST_POOL_PAGE = 1048576
"""Bytes of that at most, packed by zlib."""
FORWARDED_PAGE_PORT = 4480
"""Port of the owner's computer that VirtualBox forwards there, as our OVA has it."""
FORWARDED_SSH_PORT = 4422
"""Port of the owner's computer that VirtualBox forwards to ssh there, as our OVA has it."""
ADMIN_PAGE_PORT = 4481
"""Port of an administrator's computer that ssh forwards to the page of the manager with the CA, unless he types another."""
DNS_HOST = "127.0.0.54"
"""Where ipopd of the image answers names of the pool; dnsmasq asks it there."""
DNS_PORT = 5354
"""Its port, UDP and TCP."""
MULTICAST_GROUP = "239.255.87.79"
"""Where nodes of one network find each other: a group of the local scope (RFC 2365 section 6.1) that ends in "WO" in ASCII."""
MULTICAST_GROUP_6 = "ff15::8057:4f57"
"""The same for IPv6: site-local scope, transient, of the numbers that anybody may take (RFC 4291 section 2.7, RFC 3307 section
4.3), with "WOW" in ASCII."""
MULTICAST_PORT = 4433
"""UDP port of both groups, whatever the overlay's own port is."""
OVERLAY_MARK = 0x574f57
"""Firewall mark (SO_MARK) of the overlay's own sockets, whatever their ports: "WOW" in ASCII."""
HTTPS_PORT = 443
"""TCP port on which the overlay listens beside its own number where [tcp] ports is auto: networks that block UDP let it out."""
TAP_NAME = "wow0"
"""The overlay's interface, unless the configuration says another."""
ZONE_SUFFIX = ".internal"
"""A pool's DNS zone is its name with this behind it: the domain that ICANN keeps for private use."""
MANAGER_LABEL = "manager"
"""The manager's second name in the zone; only a manager's certificate has it."""
AUTHORITY_LABEL = "ca"
"""Label in the zone of the machine that has the CA, where others enrol; no certificate has it."""
MOST_MANAGERS = 8
"""Managers of a pool: each machine tells all of them of itself."""
ADMIN_SOCKET = "/run/wow-ca/admin.sock"
"""Where administrators of the pool ask the CA that serves on a manager."""
ADMIN_GROUP = "wow-admin"
"""Who may: the administrators of a manager's pool.conf."""
WEB_ACCOUNT = "wow-web"
"""The web page's account, for which the CA does nothing but for an administrator who is logged in there."""
BASE_ACCOUNTS = "root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc _apt nobody systemd-network tss dnsmasq sshd condor"
"""Accounts of the base's Debian packages, blanks between: no machine has an account for a person of pool.conf with such a
name."""
STACK_NOTICE = 3
"""Kind of the notice that says which modules the pool's machines use: its stack."""
STACK_HEAD = "wow-stack 1"
"""First line of its text."""
RESTART_WORD = "restart-by"
"""Word of the text's last line, which may be missing: from which Unix second on no job keeps a machine from starting again with
the stack."""
LATEST_RESTART = 9999999999
"""The largest number that may stand there."""
DELTA_WORD = "delta"
"""Word of a line for a delta: a file from which a machine makes one of the stack's files out of another one."""
ARCHITECTURE_WORD = "architecture"
"""Word of the line of its text from which on it says what machines of another architecture have."""
FIRST_ARCHITECTURE = "amd64"
"""Debian's name of the architecture of which the lines before such a line are."""
TERM_NOTICE = 4
"""Kind of the notice that says until when the stack is the newest: its term."""
TERM_HEAD = "wow-term 1"
"""First line of its text."""
TERM_LIFE = 1209600
"""Seconds for which a stack is the newest from when it was signed, and from each renewal of its term."""
KEYS_NOTICE = 5
"""Kind of the notice that says which keys signed the stack, the newest last."""
KEYS_HEAD = "wow-keys 1"
"""First line of its text."""
MOST_KEYS = 8
"""Keys of the stack in a pool's life."""
ORIGINS_NOTICE = 6
"""Kind of the notice that names web servers which have the stack's files: its origins."""
ORIGINS_HEAD = "wow-origins 1"
"""First line of its text."""
MOST_ORIGINS = 4
"""Origins of a notice, and as many of pool.conf."""
DRAINED_NOTICE = 8
"""Kind of the notice that names machines which the pool gives no jobs: the drained ones."""
DRAINED_HEAD = "wow-drained 1"
"""First line of its text."""
MOST_DRAINED = 800
"""Machines that may be drained at a time: their names fill a notice."""
LONGEST_ORIGIN = 200
"""Characters of an origin before its # at most."""
ORIGIN_HOST = "(?:(?:[0-9]{1,3}[.]){3}[0-9]{1,3}|(?=[0-9.]*[a-z-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:[.][a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)"
"""What stands behind https:// in an origin, https://HOST[:PORT][/PATH][#sha256=HEX], as a regular expression of both
languages."""
ORIGIN_PORT = "(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
"""The same of what follows."""
ORIGIN_PATH = "(?:/[A-Za-z0-9._~%+/-]*[A-Za-z0-9._~%+-])?(?:#sha256=[0-9a-f]{64})?"
"""The same of path and pin, up to the last character."""
LAYERS_PORT = 8445
"""TCP port on which the manager with the CA hands out the stack's layers, by HTTP to machines whose packets IPsec seals."""
LAYERS_PATH = "/layers/"
"""Path of a layer there, with the layer's SHA-256 behind it."""
SEEDERS_PATH = "/seeders/"
"""Path there by which a machine says that it has a layer whole (POST), and learns who else has (GET), with the layer's SHA-256
behind it."""
AUTHORITY_WARNING = 31536000
"""Seconds before the CA's certificate ends from which on administrators are warned."""
SHARE_PORT = 8446
"""TCP port on which each machine hands layers of the stack that it has to others of its pool, by HTTP inside IPsec."""
MOST_MODULES = 12
"""Modules of a stack."""
MOST_DELTAS = 32
"""Deltas of a stack."""
LARGEST_LAYER = 4294967296
"""Bytes of one of its layers at most."""
LARGEST_STACK = 8589934592
"""Bytes of all of them at most."""
LARGEST_STACK_TEXT = 16384
"""Bytes of the text that names them, at most."""
WORKER_ROLE = "worker"
"""OU of a worker's certificate, and its role in pool.conf, `wow status` and the CA's table."""
MANAGER_ROLE = "manager"
"""The same of a manager."""
IMAGE_NAME = "wow-amd64"
"""How the image's files in build/out begin: what it is, and for which processors."""
CONFIG_LABEL = "WOWCFG"
"""Label of the FAT disk with pool.conf, and the name of the partition for it."""
HOME_LABEL = "WOWHOME"
"""Name of the partition with the home layer, and its label."""

# Folders.
STATE = "/var/lib/wow"
"""What is kept, in the home layer."""
RUN = "/run/wow"
"""Made anew at every boot. Group wow, setgid: its members may ask ipopd's socket what changes nothing."""
WOW_CA = "/run/wow-ca"
"""On the manager with the CA, while its server is not stopped. Group wow-admin: the pool's administrators, and the web page for
them."""
DISK = "/run/wow-config"
"""The initrd's copy of the disk WOWCFG."""

# How programs end.
DONE = 0
"""It was done. Of `ipopd enroll`: there is a valid certificate for the machine's address."""
FAILED = 1
"""It could not be done, because of the machine or of what was asked about."""
USAGE = 2
"""The command line or the configuration is wrong."""
UNREACHED = 3
"""The CA, or the machine's own ipopd, was not reached in time: try again."""
NOT_ADMITTED = 4
"""The ticket is missing, unknown or wrong, or the key is not on the list."""
TICKET_SPENT = 5
"""The ticket is used up or expired, or the key was revoked or denied or has four addresses."""
ADDRESS_REFUSED = 6
"""Another machine holds the address. ipopd was told to take its next one, but where this machine's own certificate for it is
still good."""
REFUSED = 7
"""The CA refused for another reason, which it gave."""
WAITING = 8
"""The pool's administrator has not decided yet: ask again."""
INTERRUPTED = 130
"""It was ended by Ctrl+C."""
