"""Whether a machine's disk can take an image's system."""

HOME = "WOWHOME"


def agree(machine, image):
    """Compares tables as sfdisk's JSON has them: the same partitions in the same order, home the last one. Where they stand and how large they are may differ: the
    system is the image's, and home is copied to its place there."""
    return bool(image) and image[-1].get("name") == HOME and _names(machine) == _names(image)


def _names(table):
    return [entry.get("name") for entry in table]
