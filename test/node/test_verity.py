"""The hash trees of layers: veritysetup, which others made, finds the same, and whoever writes a system leaves them beside its layers."""
import contextlib
import hashlib
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
from unittest import mock

from test_systems import Case, carrying, digest, made

from wow.stack import bring, growing, kept, replace, text, verity

BLOCK = verity.BLOCK


def of_blocks(count):
    return random.Random(count).randbytes(count * BLOCK)


def tree_of(data, piece=growing.PIECE):
    tree = verity.Tree()
    for at in range(0, len(data), piece):
        tree.add(data[at:at + piece])
    return tree.finished()


class Trees(unittest.TestCase):
    def veritysetup(self, *words):
        return subprocess.run(["veritysetup", "--no-superblock", "--hash=sha256", "--salt=-", "--data-block-size=4096", "--hash-block-size=4096", *words],
                              capture_output=True, text=True, check=False)

    def test_veritysetup_makes_the_same_and_finds_a_layer_whole(self):
        """One level, two, and three, with levels that end in a block and that fill their blocks. It knows SHA-256 alone of the two; test/image/rotten.py has the kernel."""
        patch = mock.patch.object(verity, "_hash", lambda block: hashlib.sha256(block).digest())
        patch.start()
        self.addCleanup(patch.stop)
        with tempfile.TemporaryDirectory() as folder:
            layer, theirs, ours = (pathlib.Path(folder, name) for name in ("layer", "theirs", "ours"))
            for count in (2, 127, 128, 129, 1000, 128 * 128, 128 * 128 + 1):
                with self.subTest(count):
                    data = of_blocks(count)
                    layer.write_bytes(data)
                    theirs.unlink(missing_ok=True)
                    made_ = self.veritysetup("format", str(layer), str(theirs))
                    self.assertEqual(made_.returncode, 0, made_.stderr)
                    tree, words = tree_of(data)
                    blocks, root, sha = words.split()
                    self.assertIn(root, made_.stdout)
                    self.assertEqual((theirs.read_bytes(), blocks, sha), (tree, str(count), digest(tree)))
                    ours.write_bytes(tree)
                    words = (f"--data-blocks={count}", str(layer), str(ours), root)
                    self.assertEqual(self.veritysetup("verify", *words).returncode, 0)
                    layer.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
                    self.assertNotEqual(self.veritysetup("verify", *words).returncode, 0)

    def test_the_hash_is_that_of_b2sum(self):
        block = of_blocks(1)
        said = subprocess.run(["b2sum", "-l", "256"], input=block, capture_output=True, check=True).stdout.decode().split()[0]
        tree, words = tree_of(block * 2)
        self.assertEqual((tree[:64].hex(), tree[64:].strip(b"\0")), (said * 2, b""))
        said = subprocess.run(["b2sum", "-l", "256"], input=tree, capture_output=True, check=True).stdout.decode().split()[0]
        self.assertEqual(words.split()[1], said)

    def test_pieces_of_any_size_give_the_same(self):
        data = of_blocks(300)
        for piece in (1000, BLOCK, BLOCK + 1, 3 * BLOCK - 1, len(data)):
            self.assertEqual(tree_of(data, piece), tree_of(data))

    def test_what_is_no_squashfs_has_none(self):
        for data in (b"", b"x", of_blocks(1), of_blocks(2) + b"x"):
            self.assertIsNone(tree_of(data))

    def test_a_line_that_is_none_of_a_tree_is_passed_over(self):
        line = f"# tree base-1.tree 2 {'0' * 64} {'1' * 64}"
        self.assertEqual(verity.lines(f"# stack 12\n# tree base-2.tree 2\nbase base base-1.squashfs 8192 x\n{line}\n"), {"base-1.tree": line})


class Written(Case):
    """What wow-system does of them. A is of an image that has trees."""

    def setUp(self):
        self.first, self.second = (made(release, base=of_blocks(3 + release), node=of_blocks(5 + release)) for release in (1, 2))
        super().setUp()
        patch = mock.patch.object(growing, "WANTED", f"{self.root}/trees.wanted")
        patch.start()
        self.addCleanup(patch.stop)
        self.system("A", self.first, "# kind name file size sha256\n", "".join(self.put(self.first)))
        self.begin("A")

    def put(self, release):
        return [f"{line}\n" for kind in ("base", "node") for tree in [verity.Tree()] if not tree.add(release[kind])
                for line in verity.put(f"{self.sys}/layers", f"{kind}-{digest(release[kind])[:12]}.squashfs", tree)]

    def hashed(self, system):
        """{layer's name: whether its tree is what follows from it} of those that the list has a tree of; each tree is on the disk, as the line says."""
        lines, found = self.now().trees(system), {}
        for row in self.now().layers_of(system):
            name = verity.name_of(row[2])
            if name in lines:
                data, words = tree_of(self.data(f"{self.sys}/layers/{row[2]}"))
                found[row[1]] = (self.data(f"{self.sys}/layers/{name}"), lines[name]) == (data, verity.line(row[2], words))
        return found

    def look(self):
        """At each step each tree of a system that may start is what follows from its layer."""
        super().look()
        block = self.disk.block
        for system in {self.now().running, block["system"], block.get("trial") or block["system"]}:
            self.assertNotIn(False, self.hashed(system).values())

    def test_the_other_system_gets_its_trees_as_its_layers_are_copied(self):
        self.fetch(self.second)
        with self.watched():
            self.act(text.read(carrying(self.second), 12))
        self.assertEqual((self.hashed("A"), self.hashed("B")), ({"base": True, "node": True},) * 2)
        self.assertEqual(kept.read(f"{self.sys}/stacks/B.conf").partition("\n")[0], "# stack 12")
        self.assertEqual((self.start(), self.now().is_running(text.read(carrying(self.second), 12))), ("B", True))

    def test_a_layer_that_both_have_keeps_its_tree_and_what_nobody_has_goes(self):
        shared = made(2, base=self.first["base"], node=self.second["node"])
        self.fetch(shared)
        self.act(text.read(carrying(shared), 12))
        self.assertEqual(self.hashed("B"), {"base": True, "node": True})
        self.start()
        self.act(text.read(carrying(shared), 12))
        third = made(3, base=of_blocks(9), node=of_blocks(10))
        self.fetch(third)
        self.act(text.read(carrying(third), 13))
        self.assertEqual((self.hashed("A"), self.hashed("B")), ({"base": True, "node": True},) * 2)
        self.assertEqual(len([name for name in os.listdir(f"{self.sys}/layers") if name.endswith(".tree")]), 4)

    def test_wherever_power_goes_what_starts_is_whole_and_so_are_its_trees(self):
        for stop_at in range(1, 60):
            self.disk.block.clear()
            self.disk.block["system"] = "A"
            self.begin("A")
            self.fetch(self.second)
            self.steps, self.stop_at = 0, stop_at
            with self.subTest(stop_at):
                try:
                    with self.watched():
                        self.act(text.read(carrying(self.second), 12))
                except BaseException as error:
                    if type(error).__name__ != "Cut":
                        raise
                self.stop_at = None
                self.look()
        self.assertLess(self.steps, 59, "power went at each step")

    def test_a_system_without_trees_gets_them_when_wow_layers_wants_it(self):
        bare = kept.read(f"{self.sys}/stacks/A.conf").partition("# tree")[0]
        for stop_at in (None, *range(1, 20)):
            self.write("sys/stacks/A.conf", bare)
            for name in os.listdir(f"{self.sys}/layers"):
                if name.endswith(".tree"):
                    os.unlink(f"{self.sys}/layers/{name}")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(growing.WANTED)
            replace.grow(self.now(), self.disk)
            self.assertEqual((self.hashed("A"), self.disk.calls), ({}, []), "nobody wants it")
            self.write("trees.wanted", "")
            self.steps, self.stop_at = 0, stop_at
            with self.subTest(stop_at):
                try:
                    with self.watched():
                        replace.grow(self.now(), self.disk)
                except BaseException as error:
                    if type(error).__name__ != "Cut":
                        raise
                self.look()
                self.stop_at = None
                if stop_at is None:
                    self.assertEqual((self.hashed("A"), self.disk.calls, os.path.exists(growing.WANTED)), ({"base": True, "node": True}, [True, False], False))
                    self.assertTrue(kept.read(f"{self.sys}/stacks/A.conf").startswith(bare))
            self.disk.calls.clear()

    def test_a_layer_that_is_damaged_gets_none_and_one_on_trial_is_not_written(self):
        node = self.now().layers_of("A")[1][2]
        with mock.patch.object(self, "look"):
            self.write(f"sys/layers/{node}", b"x" * BLOCK + self.first["node"][BLOCK:])
            self.write("trees.wanted", "")
            self.begin("A", trial="2")
            replace.grow(self.now(), self.disk)
            self.assertEqual(self.disk.calls, [])
            self.begin("A")
            replace.grow(self.now(), self.disk)
            self.assertEqual(self.hashed("A"), {"base": True})
            os.unlink(f"{self.sys}/layers/{node}")
            os.symlink("/proc/self/mem", f"{self.sys}/layers/{node}")  # reading that fails as a bad block does
            self.write("trees.wanted", "")
            replace.grow(self.now(), self.disk)
            self.assertEqual((self.hashed("A"), os.path.exists(growing.WANTED)), ({"base": True}, False))

    def test_wow_stack_has_wow_system_make_them_also_where_the_pool_published_nothing(self):
        self.write("trees.wanted", "")
        called = []
        with mock.patch.object(text, "notice"):
            bring.once(self.place, None, f"{self.root}/none", systems=self.now(), write=lambda: called.append(1))
        self.assertEqual(called, [1])

    def test_a_layer_that_is_no_squashfs_is_written_without(self):
        second = made(2)
        self.fetch(second)
        self.act(text.read(carrying(second), 12))
        self.assertEqual((self.hashed("B"), self.release("B"), self.is_whole("A")), ({}, second, True))


if __name__ == "__main__":
    unittest.main()
