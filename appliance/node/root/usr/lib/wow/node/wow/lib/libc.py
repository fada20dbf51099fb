"""
Functions of the C library, and calls of the kernel, that Python has no name for.

The module ctypes has all this, and types of every kind, which take long to load; os takes a tenth of what a starter takes. Each job waits for that, so what is
needed is taken from below both (decision 0059).
"""
import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    _ctypes: Any  # Debian's mypy knows little of it
    Simple: Any
else:
    import _ctypes
    from _ctypes import _SimpleCData as Simple


def _kind(base: "Any", **what: "Any") -> "Any":
    """A kind of what the library takes and returns."""
    return type(base)("Kind", (base,), what)


_LONG = _kind(Simple, _type_="l")
_BYTE = _kind(Simple, _type_="c")
_FUNCTION = _kind(_ctypes.CFuncPtr, _flags_=_ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO, _restype_=_LONG)
_LIBRARY = _ctypes.dlopen(None, posix.RTLD_NOW)


def room(size: int) -> "Any":
    """So many bytes that a function may write into; `raw` is what they are."""
    return (_BYTE * size)()


def call(name: str, *arguments: "Any", library: str = "") -> int:
    """Calls one: a number is an int, bytes are a pointer to them, None is a null pointer. library: the file of another one than the C library, which is loaded then.
    OSError if it returns less than 0, or there is no such library."""
    where = _ctypes.dlopen(library, posix.RTLD_NOW) if library else _LIBRARY
    result: int = _FUNCTION(_ctypes.dlsym(where, name))(*arguments)
    if result < 0:
        raise OSError(_ctypes.get_errno(), posix.strerror(_ctypes.get_errno()))
    return result
