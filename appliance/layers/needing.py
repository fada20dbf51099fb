"""What a module's programs need that may be another in another base: libraries, their symbol versions, and the folder of Python's minor version. Read from the
layers' own files, so a base that moved is refused where it matters, and nowhere else."""

import pathlib
import posixpath
import re
import tempfile

import abi
import elf
import listing
from listing import LayerError

PYTHON = re.compile(r"(?:^|/)(?:lib/python(3\.\d+)/|[^/]+\.cpython-3(\d+)[^/]*\.so$)")
AGAIN = "Publish the module anew over this base (a recipe: name its folder; an archive: develop it on a machine with this base); or take the module out"


def lacking(modules, layers, hidden):
    """A sentence for each file of a module that asks for what no layer has. layers: all, as gates.read gives them; hidden: {layer: paths of it that are not
    seen, for others take their place}."""
    seen = [(one, path) for one in layers for path, kind in one.held.items() if kind in "-l" and path not in hidden.get(one.name, ())]
    places = {}
    for one, path in seen:
        places.setdefault(posixpath.basename(path), []).append((one, path))
    found, asked = [], []
    for one in modules:
        found += _pythons(one, hidden.get(one.name, ()), places)
        for path, sonames, versions in _programs(one, hidden.get(one.name, ())):
            found += [f"/{path} of the module {one.name} needs {soname}, which no layer has. {AGAIN}" for soname in sonames if soname not in places]
            asked += [(one.name, path, soname, version) for soname, version in sorted(versions) if soname in places]
    defined = _defined({soname for _, _, soname, _ in asked}, places)
    return found + [f"/{path} of the module {name} needs {soname} with {version}, and the {soname} that is here has it not. {AGAIN}"
                    for name, path, soname, version in asked if defined[soname] and version not in defined[soname]]


def _pythons(one, hidden, places):
    """A file for a Python that is not there; one for each of these."""
    first = {}
    for path in sorted(one.held):
        if path not in hidden and one.held[path] == "-" and (version := PYTHON.search(path)):
            first.setdefault(version[1] or f"3.{version[2]}", path)
    return [f"/{path} of the module {one.name} is for Python {version}, which no layer has. {AGAIN}" for version, path in first.items()
            if f"python{version}" not in places]


def _programs(one, hidden):
    """(path, the sonames that it asks for, the symbol versions) of a module's programs and libraries."""
    paths = [path for path in listing.programs(one.file) if path not in hidden]
    for path, data in _read(one.file, paths):
        try:
            sonames, versions = elf.needed(data), elf.wanted(data)
        except elf.ElfError as error:
            raise LayerError(f"/{path} of the module {one.name}: {error}; publish the module anew") from error
        if sonames:
            yield path, sonames, versions


def _read(layer, paths):
    """(path, bytes) of a layer's ELF files; nothing of the others."""
    if not paths:
        return
    with tempfile.TemporaryDirectory(prefix="wow-needs-") as scratch:
        tree = pathlib.Path(scratch, "tree")
        abi.extract(layer, tree, paths)
        for path in sorted(paths):
            if (tree / path).is_file() and not (tree / path).is_symlink():
                with (tree / path).open("rb") as file:
                    head = file.read(len(elf.MAGIC))
                    if head == elf.MAGIC:
                        yield path, head + file.read()


def _defined(sonames, places):
    """{soname: the symbol versions that its libraries define}. Empty where a library has none, or a link to it leads elsewhere than beside it."""
    wanted, found = {}, {soname: set() for soname in sonames}
    for soname in sonames:
        for name, here in places.items():
            # The library itself, and what its link leads to: libz.so.1 and libz.so.1.3.1.
            if name.startswith(soname):
                for one, path in here:
                    wanted.setdefault(one.file, []).append(path)
    for layer, paths in wanted.items():
        for _, data in _read(layer, paths):
            made = elf.library(data)
            if made and made.soname in found:
                found[made.soname] |= made.versions
    return found
