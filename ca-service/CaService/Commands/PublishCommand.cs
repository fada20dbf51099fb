using CaService.Admin;
using CaService.Layers;

namespace CaService.Commands;

/// <summary>
/// <c>wow-ca publish</c>: has all machines of the pool lay these modules over their image, and take the system that the stack carries. With <c>--state</c> it does
/// so itself; else it reads the folder and sends the wow-ca that serves what that one lacks.
/// </summary>
internal static class PublishCommand
{
    public const string Name = "publish";

    /// <summary>The option by which machines go back to what their image has.</summary>
    private const string None = "none";

    /// <summary>What it takes beside a day and a moment.</summary>
    private const string Now = "now";

    private static readonly Option RestartBy = new(
        Agreed.RestartWord, "WHEN", $"from when on no job keeps a machine from starting again with them: a day (UTC), a moment such as 2027-01-31T12:00:00Z, or {Now}; without it jobs do");

    private static readonly Option After = new(
        "after", "NUMBER", "the number that a machine says to have, in wow status: what is published gets a higher one, and so does its term. For a CA's folder that lost count");

    /// <summary>Its options.</summary>
    public static IReadOnlyList<Option> Own { get; } =
        [new(None, null, "no module: machines go back to what their image has"), RestartBy, After, ProvenClock.Today, Option.Folder];

    /// <summary>Publishes, in the CA's folder.</summary>
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        (PoolLayers stack, ILayerSource source) = Read(options);
        return PublishAsync(options, stack, source, reply, time);
    }

    /// <summary>Has the wow-ca that serves publish.</summary>
    public static async Task<(int Code, string Output, string Error)> AskAsync(string socket, Options options, TextWriter output)
    {
        (PoolLayers stack, ILayerSource source) = Read(options);

        // All but the folder, which is read here.
        string[] words =
        [
            Name, .. options.Has(None) ? new[] { $"--{None}" } : [], .. Said(ProvenClock.Today), .. Said(RestartBy), .. Said(After), .. options.Has(Option.Json.Name) ? new[] { Option.Json.Shown } : [],
        ];
        return await LayerSender.PublishAsync(socket, words, stack, source, layer =>
        {
            if (!options.Has(Option.Json.Name))
            {
                output.WriteLine($"sent {layer.Name}, {layer.Size} bytes");
            }
        });

        string[] Said(Option option) => options.Find(option.Name) is { } value ? [$"--{option.Name}", value] : [];
    }

    /// <summary>Publishes what an administrator sends.</summary>
    /// <param name="options">Of the command line, with the folder that is served.</param>
    /// <param name="text">The stack; null where none was sent.</param>
    /// <param name="upload">Its layers.</param>
    /// <param name="reply">Takes the answer.</param>
    /// <param name="time">The clock.</param>
    public static Task<ExitCode> TakeAsync(Options options, string? text, ILayerSource? upload, Reply reply, TimeProvider time)
    {
        if (text is null || upload is null || options.Words.Count > 0)
        {
            throw new UserError("The wow-ca that serves reads no folder: wow-ca publish sends it what is published.");
        }

        return PoolLayers.TryRead(System.Text.Encoding.UTF8.GetBytes(text), out PoolLayers? stack, out string reason)
            ? PublishAsync(options, stack, upload, reply, time)
            : throw new UserError($"What was sent is no stack: {reason}");
    }

    private static (PoolLayers Stack, ILayerSource Source) Read(Options options)
    {
        if (options.Words.Count != (options.Has(None) ? 0 : 1))
        {
            throw new UserError($"Say what is published, in one way: wow-ca publish FOLDER, that of a stack, or --{None}.");
        }

        var source = new FolderLayers(options.Words is [var folder] ? folder : string.Empty);
        return (options.Has(None) ? PoolLayers.Empty : source.ReadText(), source);
    }

    private static async Task<ExitCode> PublishAsync(Options options, PoolLayers stack, ILayerSource source, Reply reply, TimeProvider time)
    {
        stack = WithRestart(stack, options, time.GetUtcNow());
        ulong after = Known(options);
        using CaFolder ca = CaFolder.Open(options.Get(Option.Folder.Name));
        ProvenClock.Check(ca, options, time.GetUtcNow());
        (ulong number, PoolLayers before) = await new PublishDesk(ca, new StackFolder(ca, options.Get(Option.Folder.Name)), time).PublishAsync(stack, source, after);
        reply.Say(
            $"stack {number} is published: {Describe(stack)}. A running wow-ca serve spreads it within seconds; else it does when it starts. Machines fetch it, and start again with it by themselves when nobody needs them{StackCommand.At(stack, ", by {0} at the latest")}.{WithoutSystem(before, stack)}",
            json => StackCommand.Write(json, new Published(number, stack)));
        return ExitCode.Done;
    }

    // Numbers are moments. One that is no moment people write would leave no room for later ones.
    private static ulong Known(Options options) =>
        options.Find(After.Name) is not { } said ? 0
            : Digits.TryRead(said, Agreed.LatestRestart, out ulong number) && number > 0 ? number
            : throw new UserError($"--{After.Name} is '{said}': give the number that a machine names, from 1 to {Agreed.LatestRestart}.");

    private static string Describe(PoolLayers stack) =>
        !stack.Parts.Any() ? "no module, machines use what their image has"
            : string.Join("; ", stack.Parts.Select(part => $"{(stack.Others.Count > 0 ? $"for {part.Architecture} " : string.Empty)}{DescribePart(part)}"));

    // Not of an empty stack: who takes all modules back wants machines to have what their image has.
    private static string WithoutSystem(PoolLayers before, PoolLayers stack)
    {
        string[] left = [.. before.Parts.Where(was => was.System.Count > 0 && !stack.Parts.Any(part => part.Architecture == was.Architecture && part.System.Count > 0)).Select(was => was.Architecture)];
        return left.Length == 0 || !stack.Parts.Any() ? string.Empty
            : $"\nnote: the stack before carried a system for {string.Join(" and ", left)}, and this one carries none. A machine that has not taken that system yet keeps the system and the modules that it has. Where it shall come to this one, make the stack with --system, and publish that.";
    }

    private static string DescribePart(PoolLayers part)
    {
        string modules = part.Layers.Count == 0 ? "no module" : string.Join(", ", part.Layers.Select(layer => layer.Name));
        return part.System.Count == 0 ? modules : $"a system with base {part.Base![..12]}, {part.System.Sum(file => file.Size)} bytes, and {modules}";
    }

    private static PoolLayers WithRestart(PoolLayers stack, Options options, DateTimeOffset now)
    {
        if (options.Find(RestartBy.Name) is not { } said)
        {
            return stack;
        }

        DateTimeOffset by = said == Now ? now : Moment.Read(RestartBy.Name, said);
        return by < now ? throw new UserError($"--{RestartBy.Name} {said} is over already: give a time that comes, or {Now}.")
            : by.ToUnixTimeSeconds() > Agreed.LatestRestart ? throw new UserError($"--{RestartBy.Name} {said} is too far away: leave it out, or give a time that somebody waits for.")
            : stack.WithRestart(by.ToUnixTimeSeconds());
    }
}
