"""The part of ipopd.conf that the doctor needs. On a machine without the appliance it was written by hand."""
from wow.lib import ini, paths
from wow.lib.errors import WowError


class IpopdConf:
    """What the file says; None where it says nothing. bootstrap: the entries as they are written."""

    __slots__ = ("state", "secret", "open", "bootstrap", "tap", "ca_port")

    def __init__(self, sections: dict[str, dict[str, tuple[str, int]]]) -> None:
        def value(section: str, key: str) -> str | None:
            return sections.get(section, {}).get(key, (None, 0))[0]
        self.state = value("node", "state")
        self.secret = value("pool", "secret") or ""
        self.open = value("pool", "open") == "yes"
        self.bootstrap = (value("pool", "bootstrap") or "").split()
        self.tap = value("tap", "name")
        port = value("ca", "port") or ""
        self.ca_port = int(port) if port.isascii() and port.isdigit() else paths.CA_PORT


def read(path: str) -> IpopdConf:
    """Reads the file; WowError says why it cannot be read."""
    try:
        with open(path, "rb") as file:
            return IpopdConf(ini.parse(file.read(ini.LARGEST + 1), path))
    except OSError as error:
        raise WowError(error.strerror or "cannot be read", "Ask as root, or name another file with --config", path) from None
