using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace PoolRules;

/// <summary>A machine that the pool gives no jobs.</summary>
/// <param name="Host">The label in its certificate.</param>
/// <param name="Since">When the administrator said so, Unix seconds, 1 to <see cref="Agreed.LatestRestart"/>.</param>
public sealed record DrainedMachine(string Host, long Since);

/// <summary>
/// The machines that the pool's administrator gives no more jobs (docs/protocol.md, Notices). As text, which the CA signs: <c>wow-drained 1</c>, then a line
/// <c>HOST SECONDS</c> each. Every line ends with a line feed.
/// </summary>
public sealed class DrainedList
{
    /// <summary>The kind of notice that it is.</summary>
    public const byte NoticeKind = Agreed.DrainedNotice;

    private const string Head = Agreed.DrainedHead;
    private const int LargestText = 16 + (Agreed.MostDrained * (63 + 12));

    private DrainedList(DrainedMachine[] machines) => Machines = machines;

    /// <summary>None.</summary>
    public static DrainedList Empty { get; } = new([]);

    /// <summary>They, 0 to <see cref="Agreed.MostDrained"/>, no host twice.</summary>
    public IReadOnlyList<DrainedMachine> Machines { get; }

    /// <summary>Makes a list.</summary>
    /// <param name="machines">The machines.</param>
    /// <param name="list">The list.</param>
    /// <param name="reason">Why there is none, for people.</param>
    /// <returns>Whether they are machines, and few enough.</returns>
    public static bool TryCreate(IReadOnlyList<DrainedMachine> machines, [NotNullWhen(true)] out DrainedList? list, out string reason)
    {
        ArgumentNullException.ThrowIfNull(machines);
        reason = machines.Count > Agreed.MostDrained
            ? $"{Agreed.MostDrained} machines may be drained at a time, and these were {machines.Count}: end some with --end, or revoke those that shall never come back."
            : machines.FirstOrDefault(one => !HostLabel.IsLegal(one.Host) || one.Since is < 1 or > Agreed.LatestRestart) is { } wrong ? $"'{wrong.Host}' is no name of a machine."
            : machines.DistinctBy(one => one.Host).Count() < machines.Count ? "One is named twice."
            : string.Empty;
        list = reason.Length == 0 ? new DrainedList([.. machines]) : null;
        return list is not null;
    }

    /// <summary>Reads a list. Never throws on hostile bytes.</summary>
    /// <param name="text">Any bytes.</param>
    /// <param name="list">The list.</param>
    /// <returns>Whether it is one.</returns>
    public static bool TryRead(ReadOnlySpan<byte> text, [NotNullWhen(true)] out DrainedList? list)
    {
        list = null;
        string[] lines = text.Length > LargestText ? [] : Encoding.Latin1.GetString(text).Split('\n');
        if (lines is not [Head, .. var rest, ""])
        {
            return false;
        }

        var machines = new List<DrainedMachine>();
        foreach (string line in rest)
        {
            if (line.Split(' ') is not [var host, [>= '1' and <= '9', ..] digits] || !Digits.TryRead(digits, Agreed.LatestRestart, out ulong since))
            {
                return false;
            }

            machines.Add(new DrainedMachine(host, (long)since));
        }

        return TryCreate(machines, out list, out _);
    }

    /// <summary>The text.</summary>
    public byte[] Write() =>
        Encoding.ASCII.GetBytes($"{Head}\n{string.Concat(Machines.Select(one => string.Create(CultureInfo.InvariantCulture, $"{one.Host} {one.Since}\n")))}");
}
