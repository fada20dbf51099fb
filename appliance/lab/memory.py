"""What a guest uses of its memory."""


def used_mib(meminfo):
    """MiB in use by the text of /proc/meminfo: all that is not available to a new program, as free(1) counts it."""
    values = {}
    for line in meminfo.splitlines():
        key, _, rest = line.partition(":")
        values[key] = int(rest.split()[0])
    return round((values["MemTotal"] - values["MemAvailable"]) / 1024)
