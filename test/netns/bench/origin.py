"""What a run has measured: which program, of which commit."""

import os
import pathlib
import subprocess

from program import digest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def origin(program):
    """The commit, whether the clone has other changes, and the program by its hash; with words for people."""
    commit = _git("rev-parse", "HEAD")
    is_changed = bool(_git("status", "--porcelain", "--untracked-files=no"))
    shipped = "IPOPD" not in os.environ
    return {
        "commit": commit, "changed": is_changed, "program": "shipped" if shipped else "named by IPOPD", "sha256": digest(program),
        "words": f"{'the program that the image ships' if shipped else f'{program}, named by IPOPD'}, commit {commit[:12]}{' with changes' if is_changed else ''}"}


def _git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
