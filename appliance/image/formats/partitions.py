"""Whether a machine's disk can take an image's system in place."""

HOME = "WOWHOME"


def agree(machine, image):
    """Compares tables as sfdisk's JSON has them: all partitions stand where the image has them, but that home, the last one, is as large as it is. It grows with
    its disk."""
    return bool(image) and image[-1].get("name") == HOME and _without_size(machine) == _without_size(image)


def _without_size(table):
    return [{key: value for key, value in entry.items() if key != "size" or entry.get("name") != HOME} for entry in table]
