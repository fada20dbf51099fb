using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace PoolRules;

/// <summary>
/// The modules that a pool's machines lay over their image, and the system below them where the pool replaces it. As text, which the CA signs (docs/protocol.md,
/// Notices): <c>wow-stack 1</c>; <c>base SHA256</c> and <c>node SHA256</c>, the layers that they were made over, or, with the system, <c>base SHA256 SIZE</c> and so
/// on for node, kernel and initrd; a line <c>module NAME SIZE SHA256</c> each, the lowest first; <c>glue glue SIZE SHA256</c> where one joins them; a line
/// <c>delta FILE FROM SIZE SHA256</c> for each delta. All this is for machines of the first architecture; a line <c>architecture NAME</c> begins the same for another
/// one. The first line alone is the empty stack: machines use what their image has. Last may stand <c>restart-by SECONDS</c>. Every line ends with a line feed.
/// </summary>
public sealed class PoolLayers
{
    /// <summary>The kind of notice that a stack is.</summary>
    public const byte NoticeKind = Agreed.StackNotice;

    /// <summary>The name of what joins the modules' parts of files that are everybody's.</summary>
    public const string Glue = "glue";

    /// <summary>The stack without layers.</summary>
    public static readonly PoolLayers Empty = new(null, null, [], [], []);

    private const string Head = Agreed.StackHead;
    private const string BaseWord = "base";
    private const string NodeWord = "node";
    private const string RestartWord = Agreed.RestartWord;
    private const string ModuleWord = "module";
    private const string DeltaWord = Agreed.DeltaWord;
    private const string ArchitectureWord = Agreed.ArchitectureWord;
    private const int DigestDigits = 64;

    // Four of the system, and the glue.
    private const int MostLines = Agreed.MostModules + Agreed.MostDeltas + 5;

    private static readonly string Unlike = $"It is not '{Head}' and, unless it is empty, {BaseWord} and {NodeWord} or a whole system, and at most {Agreed.MostModules} modules with their glue and {Agreed.MostDeltas} deltas after it.";
    private static readonly string[] SystemWords = [BaseWord, NodeWord, "kernel", "initrd"];

    private PoolLayers(string? @base, string? node, StackLayer[] system, StackLayer[] layers, StackDelta[] deltas)
    {
        (Base, Node, System, Layers, Deltas) = (@base, node, system, layers, deltas);
        StackLayer[] whole = [.. system, .. layers];
        Files = [.. whole, .. deltas.Select(delta => new StackLayer($"{DeltaWord} of {whole.FirstOrDefault(file => file.Digest == delta.File)?.Name}", delta.Size, delta.Digest))];
    }

    private PoolLayers(PoolLayers first, PoolLayers[] others, long? restartBy)
        : this(first.Base, first.Node, [.. first.System], [.. first.Layers], [.. first.Deltas])
    {
        (Architecture, Others, RestartBy) = (first.Architecture, others, restartBy);
        Files = [.. Files.Concat(others.SelectMany(other => other.Files)).DistinctBy(file => file.Digest)];
    }

    /// <summary>Debian's name of the architecture of the machines that what stands here is for, without <see cref="Others"/>.</summary>
    public string Architecture { get; private init; } = Agreed.FirstArchitecture;

    /// <summary>The same for other architectures, of which none is empty.</summary>
    public IReadOnlyList<PoolLayers> Others { get; } = [];

    /// <summary>What is for some architecture, one after the other: this stack itself, where it is not empty, then <see cref="Others"/>.</summary>
    public IEnumerable<PoolLayers> Parts => Base is null ? Others : [this, .. Others];

    /// <summary>The digest of the base that the layers were made over; null of the empty stack.</summary>
    public string? Base { get; }

    /// <summary>The digest of the node's layer that they were made over; null of the empty stack.</summary>
    public string? Node { get; }

    /// <summary>The system that machines with another one take: base, node, kernel and initrd, called so and in this order. Empty where the stack carries none.</summary>
    public IReadOnlyList<StackLayer> System { get; }

    /// <summary>The modules, the lowest first, the glue last.</summary>
    public IReadOnlyList<StackLayer> Layers { get; }

    /// <summary>What machines may fetch in the place of some of these, if they have what it is made from.</summary>
    public IReadOnlyList<StackDelta> Deltas { get; }

    /// <summary>All that the CA keeps and machines fetch: the system, then the layers, then the deltas, each called <c>delta of</c> what it makes; then the same for
    /// other architectures, without what is here already.</summary>
    public IReadOnlyList<StackLayer> Files { get; }

    /// <summary>From when on no job keeps a machine from starting again with the stack, in Unix seconds; null where jobs always do.</summary>
    public long? RestartBy { get; }

    /// <summary>Bytes of all files.</summary>
    public long Size => Files.Sum(file => file.Size);

    /// <summary>Whether a text is 64 lower-case hexadecimal digits.</summary>
    public static bool IsDigest(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Length == DigestDigits && text.All(char.IsAsciiHexDigitLower);
    }

    /// <summary>Makes a stack that carries no system.</summary>
    /// <param name="base">The digest of the base; null of the empty stack alone.</param>
    /// <param name="node">The digest of the node's layer; null of the empty stack alone.</param>
    /// <param name="layers">The lowest first.</param>
    /// <param name="stack">The stack.</param>
    /// <param name="reason">Why it is none, one sentence.</param>
    public static bool TryCreate(string? @base, string? node, IReadOnlyList<StackLayer> layers, [NotNullWhen(true)] out PoolLayers? stack, out string reason)
    {
        ArgumentNullException.ThrowIfNull(layers);
        return TryCreate(new PoolLayers(@base, node, [], [.. layers], []), out stack, out reason);
    }

    /// <summary>Makes a stack that carries its system.</summary>
    /// <param name="system">Base, node, kernel and initrd, called so and in this order.</param>
    /// <param name="layers">The lowest first.</param>
    /// <param name="stack">The stack.</param>
    /// <param name="reason">Why it is none, one sentence.</param>
    public static bool TryCreate(IReadOnlyList<StackLayer> system, IReadOnlyList<StackLayer> layers, [NotNullWhen(true)] out PoolLayers? stack, out string reason)
    {
        ArgumentNullException.ThrowIfNull(system);
        ArgumentNullException.ThrowIfNull(layers);
        stack = null;
        reason = $"A system is {string.Join(", ", SystemWords)}, in this order.";
        return system.Select(file => file.Name).SequenceEqual(SystemWords)
            && TryCreate(new PoolLayers(system[0].Digest, system[1].Digest, [.. system], [.. layers], []), out stack, out reason);
    }

    /// <summary>Reads a stack.</summary>
    /// <param name="text">Any bytes.</param>
    /// <param name="stack">The stack.</param>
    /// <param name="reason">Why it is none, one sentence.</param>
    public static bool TryRead(ReadOnlySpan<byte> text, [NotNullWhen(true)] out PoolLayers? stack, out string reason)
    {
        stack = null;
        if (text.Length > Agreed.LargestStackText)
        {
            reason = $"It has more than {Agreed.LargestStackText} bytes.";
            return false;
        }

        string[] lines = Encoding.Latin1.GetString(text).Split('\n');
        long? restartBy = null;
        if (lines.Length > 2 && After(lines[^2], RestartWord) is { } deadline)
        {
            if (deadline is not [var seconds] || ReadNumber(seconds) is not (> 0 and <= Agreed.LatestRestart and var second))
            {
                reason = $"Its last line is not {RestartWord} and a time from 1 to {Agreed.LatestRestart}, in seconds since 1970.";
                return false;
            }

            restartBy = second;
            lines = [.. lines[..^2], lines[^1]];
        }

        if (lines[0] != Head || lines[^1].Length > 0)
        {
            reason = Unlike;
            return false;
        }

        // Where each part begins, by the line before it: the head, or that of an architecture.
        int[] heads = [0, .. Enumerable.Range(1, lines.Length - 2).Where(at => After(lines[at], ArchitectureWord) is not null), lines.Length - 1];
        List<PoolLayers> parts = [];
        for (int part = 0; part < heads.Length - 1; part++)
        {
            if (!TryReadPart(lines[(heads[part] + 1)..heads[part + 1]], heads[part] + 1, out PoolLayers? read, out reason))
            {
                return false;
            }

            bool isNamed = part == 0
                || (After(lines[heads[part]], ArchitectureWord) is [var name] && HostLabel.IsLegal(name) && parts.All(other => other.Architecture != name) && read.Base is not null);
            if (!isNamed)
            {
                reason = $"Line {heads[part] + 1} is not {ArchitectureWord} NAME, of which none stands twice or is {Agreed.FirstArchitecture}, with what machines of that one have behind it.";
                return false;
            }

            parts.Add(part == 0 ? read : read.For(lines[heads[part]][(ArchitectureWord.Length + 1)..]));
        }

        return TryCreate(new PoolLayers(parts[0], [.. parts[1..]], restartBy), out stack, out reason);
    }

    /// <summary>The same stack with a deadline.</summary>
    /// <param name="second">1 to <see cref="Agreed.LatestRestart"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is another.</exception>
    public PoolLayers WithRestart(long second)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(second, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(second, Agreed.LatestRestart);
        return new PoolLayers(this, [.. Others], second);
    }

    /// <summary>The text.</summary>
    public byte[] Write()
    {
        var text = new StringBuilder(Head).Append('\n');
        Append(text);
        foreach (PoolLayers other in Others)
        {
            other.Append(text.Append(CultureInfo.InvariantCulture, $"{ArchitectureWord} {other.Architecture}\n"));
        }

        if (RestartBy is long second)
        {
            text.Append(CultureInfo.InvariantCulture, $"{RestartWord} {second}\n");
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    /// <summary>Reads what is for one architecture.</summary>
    /// <param name="lines">Its lines.</param>
    /// <param name="before">How many lines of the text stand before them.</param>
    /// <param name="stack">What it says.</param>
    /// <param name="reason">Why it says nothing, one sentence.</param>
    private static bool TryReadPart(string[] lines, int before, [NotNullWhen(true)] out PoolLayers? stack, out string reason)
    {
        stack = null;
        if (lines.Length > MostLines || lines.Length == 1)
        {
            reason = Unlike;
            return false;
        }

        if (lines.Length == 0)
        {
            reason = string.Empty;
            stack = Empty;
            return true;
        }

        if (ReadOver(lines) is not { } over)
        {
            reason = $"Lines {before + 1} and {before + 2} are not {BaseWord} SHA256 and {NodeWord} SHA256, nor are lines {before + 1} to {before + 4} {string.Join(", ", SystemWords)}, each with SHA256 SIZE.";
            return false;
        }

        int first = over.System.Length > 0 ? SystemWords.Length : 2;
        StackLayer[] layers = [.. lines[first..].Select(ReadLayer).TakeWhile(layer => layer is not null).OfType<StackLayer>()];
        int above = first + layers.Length;
        StackDelta[] deltas = [.. lines[above..].Select(ReadDelta).TakeWhile(delta => delta is not null).OfType<StackDelta>()];
        if (above + deltas.Length < lines.Length)
        {
            reason = $"Line {before + above + deltas.Length + 1} is neither {ModuleWord} NAME SIZE SHA256 nor {Glue} {Glue} SIZE SHA256, nor behind them {DeltaWord} FILE FROM SIZE SHA256.";
            return false;
        }

        return TryCreate(new PoolLayers(over.Base, over.Node, over.System, layers, deltas), out stack, out reason);
    }

    private PoolLayers For(string architecture) => new(Base, Node, [.. System], [.. Layers], [.. Deltas]) { Architecture = architecture };

    private void Append(StringBuilder text)
    {
        foreach (StackLayer file in System)
        {
            text.Append(CultureInfo.InvariantCulture, $"{file.Name} {file.Digest} {file.Size}\n");
        }

        if (Base is not null && System.Count == 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"{BaseWord} {Base}\n{NodeWord} {Node}\n");
        }

        foreach (StackLayer layer in Layers)
        {
            text.Append(CultureInfo.InvariantCulture, $"{(layer.Name == Glue ? Glue : ModuleWord)} {layer.Name} {layer.Size} {layer.Digest}\n");
        }

        foreach (StackDelta delta in Deltas)
        {
            text.Append(CultureInfo.InvariantCulture, $"{DeltaWord} {delta.File} {delta.From} {delta.Size} {delta.Digest}\n");
        }
    }

    private static bool TryCreate(PoolLayers made, [NotNullWhen(true)] out PoolLayers? stack, out string reason)
    {
        reason = FindFault(made) ?? string.Empty;
        stack = reason.Length == 0 ? made : null;
        return stack is not null;
    }

    /// <summary>What the layers lie over, by the first lines; null if they don't say it.</summary>
    private static (string Base, string Node, StackLayer[] System)? ReadOver(string[] lines) =>
        ReadSystem(lines) is { } system ? (system[0].Digest, system[1].Digest, system)
            : After(lines[0], BaseWord) is [var @base] && After(lines[1], NodeWord) is [var node] ? (@base, node, [])
            : null;

    private static StackLayer[]? ReadSystem(string[] lines)
    {
        StackLayer[] files =
        [
            .. SystemWords.Zip(lines, (word, line) => After(line, word) is [var digest, var size] && ReadNumber(size) is long bytes ? new StackLayer(word, bytes, digest) : null)
                .OfType<StackLayer>(),
        ];
        return files.Length == SystemWords.Length ? files : null;
    }

    private static StackLayer? ReadLayer(string line) =>
        (After(line, ModuleWord) ?? After(line, Glue)) is [var name, var size, var digest] && (name == Glue) == line.StartsWith(Glue, StringComparison.Ordinal)
            && ReadNumber(size) is long bytes
            ? new StackLayer(name, bytes, digest)
            : null;

    private static StackDelta? ReadDelta(string line) =>
        After(line, DeltaWord) is [var file, var from, var size, var digest] && ReadNumber(size) is long bytes ? new StackDelta(file, from, bytes, digest) : null;

    /// <summary>A decimal number without leading zeros; null if it is none.</summary>
    private static long? ReadNumber(string word) =>
        Digits.TryRead(word, long.MaxValue, out ulong number) && word[0] != '0' ? (long)number : null;

    /// <summary>The words behind a line's first; null if that is another.</summary>
    private static string[]? After(string line, string first) => line.Split(' ') is [var word, .. var rest] && word == first ? rest : null;

    private static string? FindFault(PoolLayers made)
    {
        if (made.Base is null || made.Node is null)
        {
            return made.Base is not null || made.Node is not null || made.System.Count + made.Layers.Count + made.Deltas.Count > 0 ? "A stack that is not empty names its base and its node."
                : FindFaultOfSizes(made);
        }

        IReadOnlyList<StackLayer> layers = made.Layers;
        IEnumerable<string> over = made.System.Count == 0 ? [made.Base, made.Node] : [];
        string[] digests = [.. over, .. made.System.Concat(made.Layers).Select(file => file.Digest), .. made.Deltas.Select(delta => delta.Digest)];
        StackLayer[] modules = [.. layers.Where(layer => layer.Name != Glue)];
        return digests.Concat(made.Deltas.Select(delta => delta.From)).FirstOrDefault(digest => !IsDigest(digest)) is { } wrong ? $"'{wrong}' is no SHA-256 of {DigestDigits} lower-case hexadecimal digits."
            : digests.Distinct().Count() < digests.Length ? "A digest is there twice."
            : modules.Length > Agreed.MostModules ? $"A stack has {Agreed.MostModules} modules at most."
            : modules.FirstOrDefault(layer => !IsName(layer.Name)) is { } nameless ? $"'{nameless.Name}' is no name of a module: a DNS label, but not {string.Join(", ", SystemWords)} or {Glue}."
            : layers.DistinctBy(layer => layer.Name).Count() < layers.Count ? "A layer is named twice."
            : layers.Count > modules.Length && (modules.Length == 0 || layers[^1].Name != Glue) ? "The glue is the last, over modules."
            : FindFaultOfDeltas(made) is { } fault ? fault
            : FindFaultOfSizes(made);
    }

    /// <summary>What is wrong with the files for all architectures together.</summary>
    private static string? FindFaultOfSizes(PoolLayers made)
    {
        Dictionary<string, long> sizes = made.Files.ToDictionary(file => file.Digest, file => file.Size);
        return made.Files.FirstOrDefault(file => file.Size is < 1 or > Agreed.LargestLayer) is { } odd ? $"{odd.Name} has {odd.Size} bytes: a layer has 1 to {Agreed.LargestLayer}."
            : made.Others.SelectMany(other => other.Files).FirstOrDefault(file => sizes[file.Digest] != file.Size) is { } other ? $"{other.Name} has another size for {Agreed.FirstArchitecture} than for another architecture."
            : made.Size > Agreed.LargestStack ? $"All files together have more than {Agreed.LargestStack} bytes."
            : null;
    }

    private static string? FindFaultOfDeltas(PoolLayers made)
    {
        HashSet<string> whole = [.. made.System.Concat(made.Layers).Select(file => file.Digest)], deltas = [.. made.Deltas.Select(delta => delta.Digest)];
        return made.Deltas.Count > Agreed.MostDeltas ? $"A stack has {Agreed.MostDeltas} deltas at most."
            : made.Deltas.FirstOrDefault(delta => !whole.Contains(delta.File)) is { } strange ? $"A delta makes '{strange.File}', which is none of the stack's files that have a size."
            : made.Deltas.Any(delta => delta.From == delta.File) ? "A delta makes a file from itself."
            : made.Deltas.Any(delta => deltas.Contains(delta.From)) ? "A delta makes a file from a delta."
            : made.Deltas.DistinctBy(delta => (delta.File, delta.From)).Count() < made.Deltas.Count ? "Two deltas make one file from one."
            : null;
    }

    private static bool IsName(string name) => HostLabel.IsLegal(name) && name != Glue && !SystemWords.Contains(name);
}
