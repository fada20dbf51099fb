"""What was released: of which commit, and its program by its hash. That program is built again from the clone's history, once, and stays in the cache."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import NamedTuple

from program import digest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = pathlib.Path(__file__).with_name("releases.json")
CACHE = pathlib.Path(os.environ.get("WOW_CACHE") or pathlib.Path.home() / ".cache/wow") / "releases"
PUBLISH = "appliance/image/publish-programs"
LOG_END = 20


class Release(NamedTuple):
    """One release: its commit, and what its programs came to (SHA-256 of names and contents) with which SDK."""
    version: str
    commit: str
    sdk: str
    sha256: str


class Trouble(Exception):
    """What is wrong, and what to do."""


class Shelf:
    """Releases of a clone, oldest first, and their programs."""

    def __init__(self, root=ROOT, file=FILE, cache=CACHE, sdk=None):
        self._root = root
        self._file = file
        self._cache = cache
        self._sdk = sdk or subprocess.run(["dotnet", "--version"], check=True, cwd=root, stdout=subprocess.PIPE, text=True).stdout.strip()

    def releases(self):
        """All that are kept."""
        return read(self._file)

    def last(self):
        """The last one."""
        return self.releases()[-1]

    def program(self, release):
        """The path of its ipopd, and a word about how sure it is that it is the one that was released."""
        kept = self._built(release.commit)
        found = digest(kept)
        if release.sdk != self._sdk:
            return kept, f"the sources of {release.commit[:12]}, by SDK {self._sdk}; it was released by {release.sdk}, so its hash can't be compared"
        if found != release.sha256:
            raise Trouble(f"{release.version}: {release.commit[:12]} gives programs with the hash {found} by SDK {self._sdk}; {self._file.name} has {release.sha256}")
        return kept, f"the program that was released, by its hash {found[:12]}"

    def add(self, version, commit):
        """Builds a commit's programs and keeps the entry; returns it."""
        full = self._git("rev-parse", "--verify", f"{commit}^{{commit}}").stdout.strip()
        known = self.releases()
        if any(version == one.version or full == one.commit for one in known):
            raise Trouble(f"{self._file.name} has {version} or {full[:12]} already")
        release = Release(version, full, self._sdk, digest(self._built(full)))
        self._file.write_text(as_json([*known, release]), encoding="utf-8")
        return release

    def _built(self, commit):
        """The ipopd of a commit by this SDK; builds it unless the cache has it whole."""
        place = self._cache / commit / self._sdk
        place.mkdir(parents=True, exist_ok=True)
        program, sum_ = place / "programs/dotnet/ipopd", place / "sha256"
        with _alone(place):
            if not (program.exists() and sum_.exists() and sum_.read_text(encoding="ascii") == digest(program)):
                self._build(commit, place / "programs")
                sum_.write_text(digest(program), encoding="ascii")
        return program

    def _build(self, commit, out):
        self._fetch(commit)
        shutil.rmtree(out, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="wow-release-") as folder:
            archive = pathlib.Path(folder) / "archive"
            self._git("archive", "--output", str(archive), "--format=tar", commit)
            source = pathlib.Path(folder) / "source"
            source.mkdir()
            subprocess.run(["tar", "-xf", str(archive), "-C", str(source)], check=True)
            # As in a clone, where the version names the commit.
            build = subprocess.run([str(source / PUBLISH), str(out)], cwd=source, env={**os.environ, "SourceRevisionId": commit},
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if build.returncode:
                end = "\n".join(build.stdout.splitlines()[-LOG_END:])
                raise Trouble(f"{PUBLISH} of {commit[:12]} ended with {build.returncode}:\n{end}")

    def _fetch(self, commit):
        """A shallow clone lacks the commit; whoever it was cloned from has it."""
        if self._git("cat-file", "-e", f"{commit}^{{commit}}", check=False).returncode == 0:
            return
        if self._git("fetch", "--quiet", "--depth", "1", "--no-tags", "origin", commit, check=False).returncode:
            raise Trouble(f"this clone lacks commit {commit}, of which a release was made, and origin does not give it: run git fetch --unshallow, or clone the whole")

    def _git(self, *arguments, check=True):
        # The clone may belong to the user who called sudo.
        ended = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(self._root), *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if check and ended.returncode:
            raise Trouble(f"git {arguments[0]}: {ended.stdout.strip()}")
        return ended


@contextlib.contextmanager
def _alone(place):
    """One at a time builds or looks."""
    with open(place / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def read(file):
    """The file's releases; Trouble if it is not what it should be."""
    try:
        found = [Release(**one) for one in json.loads(file.read_text(encoding="utf-8"))["releases"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Trouble(f"{file.name}: {error!r}") from error
    for one in found:
        if not (re.fullmatch("[0-9a-f]{40}", one.commit) and re.fullmatch("[0-9a-f]{64}", one.sha256) and one.version and one.sdk):
            raise Trouble(f"{file.name}: no commit, hash, version or SDK: {one}")
    for name in ("version", "commit"):
        if len({getattr(one, name) for one in found}) != len(found):
            raise Trouble(f"{file.name}: two releases have one {name}")
    return found


def as_json(releases):
    """One line a release."""
    return '{"releases": [\n' + ",\n".join(json.dumps(one._asdict()) for one in releases) + "\n]}\n"
