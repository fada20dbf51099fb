"""What nobody may publish: keys, passwords and histories, by their names and by what keys begin with. Files of Debian's packages are public already."""
import fnmatch
import re

LARGEST = 1024 * 1024
"""Files above it are no keys."""
KEY = re.compile(rb"^(-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|AGE-SECRET-KEY-1|PuTTY-User-Key-File-)", re.MULTILINE)
NAMES = {
    "*_history": "a shell's history", ".*_history": "a shell's history", ".history": "a shell's history", ".lesshst": "a history", ".viminfo": "a history",
    ".netrc": "passwords", ".pgpass": "passwords", ".my.cnf": "passwords", ".git-credentials": "passwords", ".htpasswd": "passwords", ".Xauthority": "a session's key",
    "id_rsa": "an ssh key", "id_dsa": "an ssh key", "id_ecdsa": "an ssh key", "id_ed25519": "an ssh key", "id_ecdsa_sk": "an ssh key", "id_ed25519_sk": "an ssh key",
    "ssh_host_*_key": "an ssh host key", "machine-id": "a machine's own name", "krb5.keytab": "a Kerberos key", "secring.gpg": "a key of GnuPG"}
FOLDERS = {".ssh": "ssh's keys", ".gnupg": "GnuPG's keys", ".aws": "keys of a cloud", ".kube": "keys of a cluster", ".docker": "passwords of registries"}


def by_name(path: str) -> str:
    """What the file is likely to hold; "" for nothing of that kind."""
    *folders, name = path.split("/")
    return next((what for pattern, what in NAMES.items() if fnmatch.fnmatchcase(name, pattern)), "") or next((FOLDERS[one] for one in folders if one in FOLDERS), "")


def by_content(path: str, size: int) -> str:
    """The same of a file that can be read."""
    if size > LARGEST:
        return ""
    with open(path, "rb") as file:
        return "a private key" if KEY.search(file.read()) else ""
