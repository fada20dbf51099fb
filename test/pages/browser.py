"""The real browser: Debian's Chromium, driven by Playwright (browser/drive.mjs). Both are fetched at the first run; Playwright lies in the cache, by the hash of its lock."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = pathlib.Path(os.environ.get("WOW_CACHE") or pathlib.Path.home() / ".cache/wow") / "pages"
NODE = ["nodejs", "npm"]


def install():
    """Installs what is missing; the folder with Playwright. AssertionError says what could not be had."""
    lists = [HERE / "packages.txt"]
    if not (shutil.which("node") and shutil.which("npm")):
        # Not in the list: where Node comes from elsewhere, Debian's would stand against it.
        lists.append(CACHE / "node.txt")
        CACHE.mkdir(parents=True, exist_ok=True)
        lists[1].write_text("\n".join(NODE) + "\n", encoding="ascii")
    for listed in lists:
        made = subprocess.run([ROOT / "appliance/host-packages", listed], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if made.returncode:
            raise AssertionError(made.stdout[-2000:])
    lock = (HERE / "browser/package-lock.json").read_bytes()
    kept = CACHE / hashlib.sha256(lock).hexdigest()[:16]
    if not kept.exists():
        new = kept.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / "browser" / name, new)
        made = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=new, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if made.returncode:
            raise AssertionError(f"npm could not fetch Playwright and axe-core: {made.stdout[-1500:]}")
        new.rename(kept)
    return kept


class Browser:
    """One Chromium in a network namespace; each act is a method, as drive.mjs names it, and waits until it is done. AssertionError says why it is not."""

    def __init__(self, inside, modules):
        self._process = subprocess.Popen([*inside, "node", HERE / "browser/drive.mjs", modules], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __getattr__(self, act):
        def tell(**told):
            self._process.stdin.write(json.dumps({"act": act, **told}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            answer = json.loads(line) if line else {"error": "the browser ended"}
            if "error" in answer:
                raise AssertionError(f"{act} {told}: {answer['error']}")
            return answer["value"]
        return tell

    def close(self):
        """Ends it."""
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
