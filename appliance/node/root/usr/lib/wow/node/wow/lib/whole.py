"""Numbers of small files of JSON, which anybody may have spoilt."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard


def is_whole(value: object, least: int, most: int) -> "TypeGuard[int]":
    """Whether it is a whole number within limits, both among them; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
