"""Packages that Debian does not have: R's from CRAN, Python's wheels, Octave's. A recipe installs them from files of its own, as docs/modules.md says it; needs
Debian's archive."""

import io
import tarfile
import textwrap
import zipfile

import developed
from checks import check, expect, long_check, run
from composed import BASE, NODE, has, work
from places import LAYERS, PARTS, ROOT

DESCRIPTION = "Package: {name}\nVersion: 1.0\nTitle: Café\nDescription: Adds.\nAuthor: René <nobody@example.org>\n" \
              "Maintainer: Nobody <nobody@example.org>\nLicense: MIT\nEncoding: {encoding}\n"
MANUAL = "\\name{add}\\alias{add}\\title{Add}\\description{Adds two numbers.}\\usage{add(a, b)}\\arguments{\\item{a, b}{numbers}}\n"
PURE = {"NAMESPACE": "export(add)\n", "R/add.R": "add <- function(a, b) a + b\n", "man/add.Rd": MANUAL}
WITH_C = {"NAMESPACE": "useDynLib(inc, twice_)\nexport(twice)\n", "R/twice.R": "twice <- function(x) .Call(twice_, x)\n",
          "src/twice.c": "#include <Rinternals.h>\nSEXP twice_(SEXP x) { return Rf_ScalarReal(2 * Rf_asReal(x)); }\n"}
WHEEL = {"tinysum.py": "def add(a, b):\n    return a + b\n", "tinysum-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinysum\nVersion: 1.0\n",
         "tinysum-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
         "tinysum-1.0.dist-info/RECORD": "tinysum.py,,\n"}
SJIS = "printf '\\223\\372' | iconv -f SJIS -t UTF-8"
"""A character in Shift-JIS, which the base does not know."""


def documented(head):
    """A program of docs/modules.md: the block whose first line is this comment."""
    text = (ROOT / "docs/modules.md").read_text(encoding="utf-8")
    block = next((part for part in text.split("```")[1::2] if head in part), "")
    expect(block, f"docs/modules.md has no program {head!r}")
    return textwrap.dedent(block[block.index("#!"):])


def source(place, name, files, encoding):
    """A package as CRAN has it, NAME_1.0.tar.gz; encoding: as R calls it, and as Python does."""
    everything = {"DESCRIPTION": DESCRIPTION.format(name=name, encoding=encoding[0]).encode(encoding[1]), **{path: text.encode() for path, text in files.items()}}
    with tarfile.open(place / f"{name}_1.0.tar.gz", "w:gz") as archive:
        for path, data in everything.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def made(folder, packages, **programs):
    """Publishes the recipe in a folder twice; the layer, once both are the same bytes."""
    (folder / "module.ini").write_text(f"[module]\nname = {folder.name}\nversion = 1.0\ndescription = A test's\nlicence = MIT\n{packages}")
    for name, text in programs.items():
        (folder / name).write_text(text)
    layers = [folder.parent / f"{number}/{folder.name}.squashfs" for number in range(2)]
    for layer in layers:
        layer.parent.mkdir()
        run(LAYERS / "publish", "--base", PARTS / "base", "--node", PARTS / "layers/node.squashfs", "--about", PARTS / "base.json", folder, "-o", layer)
    expect(layers[0].read_bytes() == layers[1].read_bytes(), f"{folder.name}: by its lock it is another layer")
    return layers[0]


def stacked(folder, *layers):
    """The layers of a machine with these modules: base, node, they, and their glue."""
    below = [("base", BASE), ("node", NODE), *(("module", layer) for layer in layers)]
    glue = folder / "glue.squashfs"
    run(LAYERS / "compose", "-o", glue, *(f"{kind}={file}" for kind, file in below))
    return [file for _, file in below] + [glue]


@long_check
def packages_of_r_are_installed_by_a_recipe_and_load_on_the_stack():
    folder = work("own-r")
    place = folder / "rtools"
    (place / "source").mkdir(parents=True)
    # R reads the first one's description by one of glibc's character sets.
    source(place / "source", "latin", PURE, ("latin1", "latin-1"))
    source(place / "source", "plain", PURE, ("UTF-8", "utf-8"))
    source(place / "source", "inc", WITH_C, ("UTF-8", "utf-8"))
    build = documented("# R's packages with code in C")
    hook = documented("# R's packages without")
    layer = made(place, "packages = r-base-core\nbuild-packages = r-base-core gcc libc6-dev make\n", build=build.replace("NAME", "inc"),
                 hook="\n".join(line.replace("NAME OTHER", "latin plain") for line in hook.splitlines()) + "\n")
    with developed.machine(*stacked(folder, layer)) as machine:
        has(machine.run("Rscript", "-e", "cat(inc::twice(plain::add(1, 2)), latin::add(1, 1), packageDescription('latin')$Title)"), "6 2 Café")
        expect(not (machine.root / "usr/bin/gcc").exists(), "the compiler is in the module")


@long_check
def a_wheel_of_python_is_installed_by_a_recipe_and_loads_on_the_stack():
    folder = work("own-python")
    place = folder / "pytools"
    (place / "source").mkdir(parents=True)
    with zipfile.ZipFile(place / "source/tinysum-1.0-py3-none-any.whl", "w") as wheel:
        for path, text in WHEEL.items():
            wheel.writestr(path, text)
    layer = made(place, "build-packages = python3-pip\n", build=documented("# Python's wheels"))
    with developed.machine(BASE, NODE, layer) as machine:
        has(machine.run("python3", "-c", "import tinysum; print(tinysum.add(1, 2))"), "3")


@check
def the_base_converts_the_character_sets_that_r_asks_for():
    with developed.machine(BASE, NODE) as machine:
        for name in ("LATIN1", "LATIN-9", "WINDOWS-1252"):
            has(machine.run("sh", "-c", f"printf 'caf\\351' | iconv -f {name} -t UTF-16LE | iconv -f UTF-16LE -t UTF-8"), "café")


@long_check
def a_module_that_names_a_package_of_the_base_has_what_the_base_leaves_out_of_it():
    folder = work("own-charsets")
    place = folder / "charsets"
    place.mkdir()
    with developed.machine(BASE, NODE) as machine:
        machine.run("sh", "-c", f"! {SJIS}")
    layer = made(place, "packages = libc6\n")
    with developed.machine(BASE, NODE, layer) as machine:
        has(machine.run("sh", "-c", SJIS), "日")
