"""Licence names as Debian's copyright files have them, said as SPDX expressions.

What SPDX has a name for gets it. Anything else, and what may mean one licence here and another there, is a LicenseRef of its own, and the package's
copyright file says what it is: better no name than a wrong one.
"""

import re

SAME = frozenset("""
0BSD AFL-2.1 Apache-2.0 Artistic-1.0-Perl Artistic-2.0 Beerware BSD-2-Clause BSD-3-Clause BSD-3-Clause-Attribution BSD-4-Clause BSD-4-Clause-UC BSL-1.0
CC-BY-3.0 CC-BY-SA-3.0 CC-BY-SA-4.0 CC0-1.0 curl FSFAP FSFUL FSFULLR ISC Latex2e MIT MIT-CMU MPL-1.1 MPL-2.0 MS-PL OLDAP-2.8 PSF-2.0 Sleepycat
Unicode-DFS-2016 X11 Zlib ZPL-2.1
""".split())
# Debian's names, in small letters, where SPDX has others. Artistic: the text in /usr/share/common-licenses is Perl's.
OTHER = {
    "apache-2": "Apache-2.0", "artistic": "Artistic-1.0-Perl", "artistic-2": "Artistic-2.0", "bsl-1": "BSL-1.0", "cc0": "CC0-1.0", "expat": "MIT",
    "mpl-2": "MPL-2.0", "openldap-2.8": "OLDAP-2.8", "psf-2": "PSF-2.0"}
KNOWN = {name.lower(): name for name in SAME} | OTHER
GNU = re.compile(r"(a?gpl|lgpl)-?v?([123])(?:\.([01]))?(\+|-or-later|-only)?")
GFDL = re.compile(r"gfdl-(niv-)?1\.([123])(\+)?(-no-invariant)?")
VERSIONS = {"gpl": ("1.0", "2.0", "3.0"), "lgpl": ("2.0", "2.1", "3.0"), "agpl": ("3.0",)}
EXCEPTIONS = {"bison": "Bison-exception-2.2", "libtool": "Libtool-exception", "linux-syscall-note": "Linux-syscall-note"}
EXCEPTION = re.compile(r"(\S+) with (\S+) exception", re.IGNORECASE)
WORD = r"[A-Za-z0-9][A-Za-z0-9.+/_-]*(?: [Ww]ith \S+ [Ee]xception)?"
TERM = re.compile(rf"{WORD}(?:,? (?:or|and|OR|AND) {WORD})*")


def name_of(word):
    """SPDX's name of one licence without exception, or None."""
    small = word.lower()
    if small in KNOWN:
        return KNOWN[small]
    gnu = GNU.fullmatch(small)
    if gnu:
        family, version, later = gnu[1], f"{gnu[2]}.{gnu[3] or 0}", gnu[4] in ("+", "-or-later")
        return f"{family.upper()}-{version}-{'or-later' if later else 'only'}" if version in VERSIONS[family] else None
    gfdl = GFDL.fullmatch(small)
    if gfdl:
        return f"GFDL-1.{gfdl[2]}{'-no-invariants' if gfdl[1] or gfdl[4] else ''}-{'or-later' if gfdl[3] else 'only'}"
    return None


def reference(words):
    """A name of its own for what SPDX has none for."""
    return "LicenseRef-Debian-" + re.sub(r"[^A-Za-z0-9.]+", "-", words.replace("+", "-or-later")).lower().strip("-.")[:80]


def one(words, references):
    """One licence with its exception, if it has one; `references` gets the name that had to be made for it."""
    with_exception = EXCEPTION.fullmatch(words)
    if with_exception:
        name, exception = name_of(with_exception[1]), EXCEPTIONS.get(with_exception[2].lower())
        if name and exception:
            return f"{name} WITH {exception}"
    else:
        name = name_of(words)
        if name:
            return name
    made = reference(words)
    references[made] = words
    return made


def term(words, references):
    """What one licence field says: Debian reads `A or B, and C` as (A or B) and C, and without a comma `and` before `or`."""
    words = " ".join(words.split())
    if not TERM.fullmatch(words):
        return one(words, references)
    groups = []
    for group in re.split(r", and ", words):
        choices = [" AND ".join(one(word, references) for word in re.split(r",? and ", choice, flags=re.IGNORECASE))
                   for choice in re.split(r",? or ", group, flags=re.IGNORECASE)]
        groups.append(" OR ".join(dict.fromkeys(choices)))
    return " AND ".join(f"({group})" if " OR " in group else group for group in groups) if len(groups) > 1 else groups[0]


def expression(licences, references):
    """The expression of a package whose files have these licences, parted by semicolons: all of them hold."""
    found = (term(words, references) for words in licences.split("; "))
    terms = dict.fromkeys(part for words in found for part in ([words] if " OR " in words else words.split(" AND ")))
    return " AND ".join(f"({words})" if is_choice(words) and len(terms) > 1 else words for words in terms)


def is_choice(words):
    """Whether an expression is a choice at its top, which needs brackets within a larger one."""
    return " OR " in re.sub(r"\([^()]*\)", "", words)
