"""Host name and /etc/hosts: the machine knows its own names even while the overlay is away."""


def default_host(address):
    """The name of a machine that was given none."""
    return "w-" + address.replace(".", "-")


def hosts(zone=None, address=None, host=None, is_manager=False):
    """/etc/hosts, before and after the address is known."""
    text = "127.0.0.1 localhost\n"
    if address:
        names = [f"{host}.{zone}", host]
        if is_manager and host != "manager":
            names.append(f"manager.{zone}")
        text += f"{address} {' '.join(names)}\n"
    return text
