"""Addresses for managers: a block at the subnet's begin that no machine takes by itself ([pool] reserved), and who has which of them already."""

import json

from pool import place
from pool.node import WowError, agreed, ipv4

SHARE = 4
"""A block has this part of a small subnet's addresses at most."""
LIST = "/usr/lib/wow/ca/wow-ca list --state /var/lib/wow/ca --json"
"""What tells all certificates that the CA knows, on the manager with the CA, as root."""


def block(subnet):
    """The addresses of a subnet that are kept for managers, as [pool] reserved names them; the first one has the first of them."""
    first = ipv4.parse_prefix(subnet)[0] + 1
    count = min(agreed.MOST_MANAGERS, (place.room(subnet) + 1) // SHARE)
    return f"{ipv4.format_address(first)}-{ipv4.format_address(first + count - 1)}"


def beside_first(reserved):
    """How many addresses of a block are for other managers than the first."""
    first, _, last = reserved.partition("-")
    return ipv4.parse_address(last) - ipv4.parse_address(first) if reserved else 0


def each(reserved):
    """All addresses of a block, in their order."""
    first, last = map(ipv4.parse_address, reserved.split("-"))
    return [ipv4.format_address(number) for number in range(first, last + 1)]


def held(rows, host):
    """{address: host} of certificates that others than the manager of that name have or had."""
    return {row["address"]: row["host"] for row in rows if row["host"] != host}


def read(path, ours):
    """The certificates that hold an address, of a file that LIST printed. WowError where it holds something else, or what another CA than that of `ours` printed:
    no key of a manager is in both. The CA's certificate may be a newer one on the manager."""
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        if (told["pool"], told["subnet"]) != (ours["pool"], ours["subnet"]) or not managers(told) & managers(ours):
            raise WowError("is another pool's", f"On the manager with this pool's CA, as root: {LIST} > FILE", path)
        return [{name: str(row[name]) for name in ("host", "address", "not_after", "status")} for row in told["certificates"] if row["status"] == "valid"]
    except OSError as error:
        raise WowError(error.strerror or str(error), "Name the file that has what the CA printed", path) from None
    except (ValueError, KeyError, TypeError):
        raise WowError("is not what the CA printed", f"On the manager with the CA, as root: {LIST} > FILE", path) from None


def managers(told):
    """The keys of managers that a list names: the first one keeps its own as long as the pool lives."""
    return {row["key"] for row in told["certificates"] if row["role"] == "manager"}


def choose(reserved, taken):
    """The first address of FIRST-LAST that nobody has. WowError where there is none, or no block: the pool was made before there were any."""
    if not reserved:
        raise WowError("is missing: this pool was made without addresses for managers, and a machine may have any of them", "Say which ones are taken: "
                       f"--certificates FILE, which holds what {LIST} prints on the manager with the CA, as root; or an --address that no machine has",
                       "", "--certificates")
    free = next((address for address in each(reserved) if address not in taken), None)
    if free is None:
        raise WowError("are all somebody's, or were", "Give an --address that no machine has, and --certificates FILE", "", f"the addresses {reserved}")
    return free


def is_in(ranges, address):
    """Whether an address is one of FIRST-LAST; what is no address is in none."""
    first, last = map(ipv4.parse_address, ranges.split("-"))
    try:
        return first <= ipv4.parse_address(address) <= last
    except ValueError:
        return False


def everybody(subnet):
    """All addresses that a machine of the subnet may have, as FIRST-LAST."""
    first = ipv4.parse_prefix(subnet)[0] + 1
    return f"{ipv4.format_address(first)}-{ipv4.format_address(first + place.room(subnet))}"
