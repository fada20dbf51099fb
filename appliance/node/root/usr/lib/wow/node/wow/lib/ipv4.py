"""IPv4 addresses and prefixes as integers. The standard library's ipaddress costs a tenth of a second at every start in an emulated guest."""


def parse_address(text: str) -> int:
    """The address as an integer; ValueError if it is not four decimal bytes."""
    parts = text.split(".")
    if len(parts) != 4:
        raise ValueError(f'"{text}" is not an IPv4 address')
    value = 0
    for part in parts:
        if not _is_number(part, 255):
            raise ValueError(f'"{text}" is not an IPv4 address')
        value = value << 8 | int(part)
    return value


def format_address(value: int) -> str:
    """Four decimal bytes."""
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def parse_prefix(text: str) -> tuple[int, int]:
    """(network as an integer, length in bits). Bits beyond the length are kept out: ValueError names the right network."""
    address, slash, length = text.partition("/")
    if not slash or not _is_number(length, 32):
        raise ValueError(f'"{text}" is not an IPv4 prefix')
    value, bits = parse_address(address), int(length)
    network = value & mask(bits)
    if network != value:
        raise ValueError(f'"{text}" has bits beyond its length; the network is {format_address(network)}/{bits}')
    return network, bits


def _is_number(text: str, most: int) -> bool:
    """Whether the text is a decimal number up to `most`, without zeros in front: what others take for octal, or for another text."""
    return text.isascii() and text.isdigit() and len(text) <= len(str(most)) and int(text) <= most and (text == "0" or text[0] != "0")


def mask(bits: int) -> int:
    """The netmask of a prefix length as an integer."""
    return (0xFFFFFFFF << (32 - bits)) & 0xFFFFFFFF


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two (network, bits) share an address."""
    bits = min(one[1], other[1])
    return one[0] & mask(bits) == other[0] & mask(bits)
