"""Host name and /etc/hosts: the machine knows its own names even while the overlay is away."""
from wow.lib import agreed


def default_host(address: str) -> str:
    """The name of a machine that was given none."""
    return "w-" + address.replace(".", "-")


def hosts(zone: str = "", address: str = "", host: str = "", is_first_manager: bool = False) -> str:
    """/etc/hosts, before and after the address is known."""
    text = "127.0.0.1 localhost\n"
    if address:
        names = [f"{host}.{zone}", host]
        if is_first_manager and host != agreed.MANAGER_LABEL:
            names.append(f"{agreed.MANAGER_LABEL}.{zone}")
        text += f"{address} {' '.join(names)}\n"
    return text
