"""The machine's clock in words, from ipopd's status."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.lib.answers import Clock

SOURCES = {
    "hypervisor": "follows the hypervisor's",
    "peers": "follows the median of what {voices} other machines say",
    "signature": "is no earlier than what the CA signed last; nobody else says what time it is",
    "ntp": "is kept by a program that speaks NTP",
    "server": "follows the time server of pool.conf",
    "nothing": "follows nothing: there is no clock of a hypervisor, and fewer than three machines say what time it is",
}


def describe(clock: "Clock") -> str:
    """A sentence without its subject: what the clock follows, and by how much it is off."""
    text = SOURCES.get(clock["follows"], f"follows {clock['follows']}").format(**clock)
    if clock["follows"] == "hypervisor":
        zone = clock["zone_min"]
        local = f", which shows a local time, {abs(zone) // 60}:{abs(zone) % 60:02} h {'behind' if zone > 0 else 'ahead of'} UTC" if zone else ""
        text += f" ({clock['device']}{local})"
    error = clock["error_s"]
    if error is None:
        return text
    return text + (f"; it is right within {max(2.0, abs(error)):.0f} s" if abs(error) <= 10 else f"; it is {abs(error):.0f} s {'ahead' if error > 0 else 'behind'}")


def is_wrong(clock: "Clock") -> bool:
    """Whether it is off by more than what does no harm."""
    return clock["error_s"] is not None and abs(clock["error_s"]) > 10
