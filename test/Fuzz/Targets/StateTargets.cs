using System.Text;
using Brunet.Notices;
using Fuzz.Mutation;
using Ipopd.State;

namespace Fuzz.Targets;

/// <summary>
/// The daemon's files, which a crash, a full disk or a hand may have damaged: each is read, and what was read and written again is read as the same. An
/// announced notice is the body of such a file, and may be anybody's.
/// </summary>
internal static class StateTargets
{
    /// <summary>In memory: what is written is brought to the disk each time, and here there is none.</summary>
    private static readonly string Folder = Directory.CreateDirectory(Path.Combine("/dev/shm", $"wow-fuzz-{Environment.ProcessId}")).FullName;

    /// <summary>Opens, but gives an error of input to whoever reads it: at its beginning is no memory.</summary>
    private const string Unreadable = "/proc/self/mem";

    private static readonly Subnet Pool = Subnet.Parse("10.128.0.0/16");

    private static readonly TextMutator Words = new(
    [
        "wow-managers 1\n", " ca\n", "10.128.255.254", "manager ",
        "{", "}", "[", "]", "\"", ",", ":", "null", "\"peers\":", "\"address\":", "udp:", "tcp:", "192.0.2.1:4433", "[2001:db8::1]:443", "[fe80::1%1]:1", ":0", ":65536", "10.128.3.4",
        "255.255.255.255", "02:00:00:00:00:01", "FF:ff:FF:ff:FF:ff", " ", "\n", "\r\n", "\\u0000", new string('[', 70), new string('a', 1200),
    ]);

    public static IEnumerable<FuzzTarget> Make()
    {
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(Folder, recursive: true);
        yield return new CodecTarget(
            "peers-file", [new("two", """{"peers":["udp:192.0.2.1:4433","tcp:[2001:db8::1]:443"]}"""u8.ToArray()), new("none", """{"peers":[]}"""u8.ToArray()), new("long", new byte[17 << 10])],
            Words, input => Rewrite("peers.json", input, PeersFile.Read, peers => PeersFile.Write(Folder, peers), peers => peers.Count > 0), isStrict: false, most: 1 << 20);
        yield return new CodecTarget(
            "hosts-file", [new("two", "02:00:00:00:00:01 10.128.3.4\n02:00:00:00:00:02 10.128.3.5\n"u8.ToArray()), new("long", new byte[33 << 10])],
            Words, input => Rewrite("hosts", input, HostsFile.Read, hosts => HostsFile.Write(Folder, hosts), hosts => hosts.Count > 0), isStrict: false, most: 1 << 20);
        yield return new CodecTarget(
            "address-file", [new("one", """{"address":"10.128.3.4"}"""u8.ToArray()), new("long", new byte[8 << 10])],
            Words, input => Rewrite("address.json", input, LastAddress.Read, address => LastAddress.Write(Folder, address!.Value), address => address is not null), isStrict: false, most: 1 << 20);
        yield return new CodecTarget(
            "notice-file", [new("notice", NoticeFile.Write(new Notice(1, 7, new byte[20], new byte[72]))), new("unsigned", NoticeFile.Write(new Notice(2, 1, new byte[1], default)))],
            new FieldMutator(bytes => new FieldWalker(bytes).Rest().Fields), Notice, isStrict: true, most: 1 << 20);
        yield return new CodecTarget(
            "managers", [new("two", "wow-managers 1\nmanager 10.128.0.1 ca\nsecond 10.128.0.2\n"u8.ToArray()), new("none", "wow-managers 1\n"u8.ToArray())],
            Words, input => ManagerList.TryRead(Pool, input, out ManagerList? list, out _) ? Managers(list) : null, isStrict: true, most: 1 << 16);
        yield return new CodecTarget(
            "stack",
            [
                new("modules", Stack("module a 4096 ", '1', "module b-2 4294967296 ", '2', "glue glue 1 ", '3')), new("none", Stack()), new("empty", "wow-stack 1\n"u8.ToArray()),
                new("twice", Stack("module a 1 ", '1', "module a 1 ", '2')), new("large", Stack("module a 4294967296 ", '1', "module b 4294967296 ", '2', "module c 1 ", '3')),
                new("many", Stack([.. Enumerable.Range(0, 26).Select(i => (object)(i % 2 == 0 ? $"module m{i} 1 " : (char)('a' + (i % 6))))])), new("long", new byte[17 << 10]),
                new("glue-below", Stack("glue glue 1 ", '1', "module a 1 ", '2')), new("no-name", Stack("module base 1 ", '1')), new("nothing", Stack("module a 0 ", '1')),
                new("restart", Stack("module a 1 ", '1', "restart-by 1795707748\n")), new("restart-empty", "wow-stack 1\nrestart-by 9999999999\n"u8.ToArray()),
                new("restart-zero", "wow-stack 1\nrestart-by 5\0\n"u8.ToArray()),
                new("system", Carrying("module a 4096 ", '1', "module b-2 4294967296 ", '2', "glue glue 1 ", '3', "restart-by 1795707748\n")), new("system-alone", Carrying()),
                new("system-half", Carrying()[..^83]), new("system-large", Carrying("module a 4294967296 ", '1', "module b 4294967296 ", '2')),
                new("system-in-part", Stack("kernel ", 'f', "module a 1 ", '1')), new("kernel-twice", Carrying("module a 1 ", 'f')), new("kernel-named", Stack("module kernel 1 ", '1')),
                new("deltas", Stack("module a 1 ", '1', "glue glue 1 ", '2', Delta('1', '7', 3, '8'), Delta('1', 'd', 4, '9'), Delta('2', '1', 1L << 32, '6'), "restart-by 5\n")),
                new("deltas-system", Carrying(Delta('d', '7', 3, '8'), Delta('f', 'd', 4, '9'))), new("delta-below", Stack(Delta('1', '7', 3, '8'), "module a 1 ", '1')),
                new("delta-of-none", Stack("module a 1 ", '1', Delta('d', '7', 3, '8'))), new("delta-of-itself", Stack("module a 1 ", '1', Delta('1', '1', 3, '8'))),
                new("delta-from-delta", Stack("module a 1 ", '1', Delta('1', '8', 3, '8'))), new("delta-twice", Stack("module a 1 ", '1', Delta('1', '7', 3, '8'), Delta('1', '7', 3, '9'))),
                new("deltas-many", Stack(["module a 1 ", '1', .. Enumerable.Range(0, 33).Select(i => Delta('1', '7', 1, '8').Replace("777", $"{i:x3}", StringComparison.Ordinal))])),
                new("architectures", Carrying("module a 4096 ", '1', "architecture arm64\nbase ", 'a', "node ", 'b', "module a 4096 ", '1', Delta('1', '7', 3, '8'), "restart-by 5\n")),
                new("architecture-alone", "wow-stack 1\narchitecture arm64\n"u8.ToArray()), new("architecture-twice", Stack("architecture arm64\nbase ", 'a', "node ", 'b', "architecture arm64\nbase ", 'a', "node ", 'b')),
            ],
            new TextMutator(["wow-stack 1\n", "architecture ", "arm64\n", "base ", "node ", "kernel ", "initrd ", "module ", "glue ", "delta ", "restart-by ", " 1 ", " 4294967296 ", " 0", new string('a', 64), new string('b', 64), "\n", " "]),
            input => PoolLayers.TryRead(input, out PoolLayers? stack, out _) ? Written(stack) : null, isStrict: true, most: 1 << 17);
        yield return new CodecTarget(
            "term",
            [
                new("term", "wow-term 1\nstack 1795707748\nuntil 1796917348\n"u8.ToArray()), new("largest", "wow-term 1\nstack 18446744073709551615\nuntil 9999999999\n"u8.ToArray()),
                new("zero", "wow-term 1\nstack 5\0\nuntil 5\0\n"u8.ToArray()), new("too-large", "wow-term 1\nstack 18446744073709551616\nuntil 10000000000\n"u8.ToArray()),
                new("head", "wow-term 1\n"u8.ToArray()), new("long", new byte[17 << 10]),
            ],
            new TextMutator(["wow-term 1\n", "stack ", "until ", "0", "9", " ", "\n", "18446744073709551615", "9999999999"]),
            input => StackTerm.TryRead(input, out StackTerm? term) ? Written(term) : null, isStrict: true, most: 1 << 15);
        yield return new CodecTarget(
            "origins",
            [
                new("two", "wow-origins 1\norigin https://a.example\norigin https://192.0.2.7:8443/wow/x\n"u8.ToArray()), new("none", "wow-origins 1\n"u8.ToArray()),
                new("pinned", Encoding.ASCII.GetBytes($"wow-origins 1\norigin https://a#sha256={new string('a', 64)}\n")),
                new("twice", "wow-origins 1\norigin https://a\norigin https://a\n"u8.ToArray()), new("port", "wow-origins 1\norigin https://a:65536\n"u8.ToArray()),
                new("zero", "wow-origins 1\norigin https://a\0\n"u8.ToArray()), new("long", new byte[17 << 10]),
            ],
            new TextMutator(["wow-origins 1\n", "origin ", "https://", "a", ".", ":443", "/", "-", "\n", "#sha256=", new string('b', 64)]),
            input => OriginList.TryRead(input, out OriginList? list) ? list.Write() : null, isStrict: true, most: 1 << 15);
        yield return new CodecTarget(
            "drained",
            [
                new("two", "wow-drained 1\nalpha 1795707748\nw-10-0-0-1 9999999999\n"u8.ToArray()), new("none", "wow-drained 1\n"u8.ToArray()),
                new("twice", "wow-drained 1\na 5\na 6\n"u8.ToArray()), new("quoted", "wow-drained 1\na\"|| 5\n"u8.ToArray()),
                new("zero", "wow-drained 1\na 5\0\n"u8.ToArray()), new("leading", "wow-drained 1\na 05\n"u8.ToArray()), new("long", new byte[61 << 10]),
            ],
            new TextMutator(["wow-drained 1\n", "a", "-", "b", " ", "5", "0", "\n", "9999999999"]),
            input => DrainedList.TryRead(input, out DrainedList? list) ? list.Write() : null, isStrict: true, most: 1 << 17);
    }

    private static byte[] Written(StackTerm term)
    {
        Oracle.That(term is { Stack: > 0, Until: > 0 and <= Agreed.LatestRestart }, "a stack has a number, and its term an end");
        Oracle.That(term == new StackTerm(term.Stack, term.Until) && term != term with { Until = term.Until - (long)StackTerm.Life.TotalSeconds }, "a term is what it says");
        return term.Write();
    }

    /// <summary>The text of a stack over some image: beginnings of lines, each with the digit of a digest behind it.</summary>
    private static byte[] Stack(params object[] layers) => Encoding.ASCII.GetBytes("wow-stack 1\nbase " + new string('d', 64) + "\nnode " + new string('e', 64) + "\n"
        + string.Concat(layers.Select(one => one is char digit ? new string(digit, 64) + "\n" : (string)one)));

    private static string Delta(char file, char from, long size, char digest) => $"delta {new string(file, 64)} {new string(from, 64)} {size} {new string(digest, 64)}\n";

    /// <summary>The same of a stack that carries its system.</summary>
    private static byte[] Carrying(params object[] layers) => Encoding.ASCII.GetBytes(Encoding.ASCII.GetString(Stack(layers))
        .Replace($"base {new string('d', 64)}\nnode {new string('e', 64)}\n",
            $"base {new string('d', 64)} 94371840\nnode {new string('e', 64)} 15728640\nkernel {new string('f', 64)} 9\ninitrd {new string('0', 64)} 4294967296\n", StringComparison.Ordinal));

    private static byte[] Written(PoolLayers stack)
    {
        Oracle.That(stack.Size <= Agreed.LargestStack, "no stack is larger than machines take");
        Oracle.That(stack.Files.DistinctBy(file => file.Digest).Count() == stack.Files.Count, "no file is there twice");
        Oracle.That(stack.Parts.DistinctBy(part => part.Architecture).Count() == stack.Parts.Count(), "no architecture is there twice");
        foreach (PoolLayers part in stack.Parts)
        {
            Judge(stack, part);
        }

        return stack.Write();
    }

    /// <summary>What holds of what a stack has for one architecture.</summary>
    private static void Judge(PoolLayers stack, PoolLayers part)
    {
        Oracle.That(part.Layers.Count <= Agreed.MostModules + 1, "a machine stacks all modules");
        Oracle.That(part.System.Count is 0 or 4, "a system is whole or none");
        StackLayer[] whole = [.. part.System.Concat(part.Layers)];
        Oracle.That(whole.All(layer => PoolLayers.IsDigest(layer.Digest) && HostLabel.IsLegal(layer.Name)), "names and digests are those of files");
        bool isMade = part.System.Count > 0
            ? PoolLayers.TryCreate(part.System, part.Layers, out PoolLayers? made, out _)
            : PoolLayers.TryCreate(part.Base, part.Node, part.Layers, out made, out _);
        Oracle.That(isMade && made!.Files.SequenceEqual(whole), "what is read can be made");
        Oracle.That(
            whole.Select(file => (file.Size, file.Digest)).Concat(part.Deltas.Select(delta => (delta.Size, delta.Digest))).All(file => stack.Files.Any(one => (one.Size, one.Digest) == file)),
            "what machines fetch is there whole, and each delta");
        Oracle.That(
            part.Deltas.Count <= Agreed.MostDeltas && part.Deltas.All(delta => whole.Any(file => file.Digest == delta.File) && delta.From != delta.File && PoolLayers.IsDigest(delta.From)),
            "a delta makes a file of the stack from another one");
    }

    private static byte[] Managers(ManagerList list)
    {
        Oracle.That(list.Named(HostLabel.Manager) == list.First && list.Named(HostLabel.Authority) is { ServesAuthority: true }, "services have their managers");
        foreach (PoolManager manager in list.Managers)
        {
            Oracle.That(list.At(manager.Address) == manager && list.Named(manager.Host)!.Address == (manager.Host == HostLabel.Authority ? list.Authority : manager).Address, "each is found");
        }

        Oracle.That(list.At(Pool.Gateway) is null || list.Managers.Any(manager => manager.Address == Pool.Gateway), "nobody else is found");
        return list.Write();
    }

    private static byte[]? Rewrite<T>(string name, byte[] input, Func<string, T> read, Action<T> write, Func<T, bool> holds)
    {
        string file = Path.Combine(Folder, name);
        File.Delete(file);
        Oracle.That(!holds(read(Folder)), "what was not kept is not known");
        File.CreateSymbolicLink(file, Unreadable);
        Oracle.That(!holds(read(Folder)), "what can't be read is not known");
        File.Delete(file);
        File.WriteAllBytes(file, input);
        T found = read(Folder);
        if (!holds(found))
        {
            return null;
        }

        write(found);
        return File.ReadAllBytes(file);
    }

    private static byte[]? Notice(byte[] input)
    {
        string file = NoticeFile.Path(Folder, 1);
        File.WriteAllBytes(file, input);
        Notice? loaded = NoticeFile.Load(file), read = NoticeFile.Read(input);
        Oracle.That(loaded is null == read is null, "a file is what its bytes are");
        return read is null ? null : NoticeFile.Write(read);
    }
}
