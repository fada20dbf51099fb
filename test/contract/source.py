"""Reads the contract's files."""
import json
import pathlib


class Broken(Exception):
    """The contract contradicts itself; the text says where and what to do."""


def load(path: pathlib.Path):
    """A file of the contract. Broken: it is no JSON, or names something twice."""
    def once(pairs: list) -> dict:
        if len({key for key, _ in pairs}) < len(pairs):
            raise Broken(f"{path}: something stands twice in {[key for key, _ in pairs]}")
        return dict(pairs)
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    except ValueError as error:
        raise Broken(f"{path}: {error}") from error


def sentence(text) -> str:
    """A sentence: a string, or its lines."""
    return text if isinstance(text, str) else " ".join(text)
