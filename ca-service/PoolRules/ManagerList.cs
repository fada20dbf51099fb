using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace PoolRules;

/// <summary>
/// A pool's managers, in the order in which they match jobs: the first one that is there does. As text, which the CA signs (docs/protocol.md, Notices):
/// <c>wow-managers 1</c>, then a line <c>HOST ADDRESS</c> each, <c>ca</c> after the one that has the CA. Every line ends with a line feed.
/// </summary>
public sealed class ManagerList
{
    /// <summary>The kind of notice that a list is.</summary>
    public const byte NoticeKind = 2;

    /// <summary>Most managers.</summary>
    public const int MaxManagers = Agreed.MostManagers;

    private const string Head = "wow-managers 1";
    private const string AuthorityMark = "ca";

    private ManagerList(IReadOnlyList<PoolManager> managers) => Managers = managers;

    /// <summary>All of them, 1 to <see cref="MaxManagers"/>.</summary>
    public IReadOnlyList<PoolManager> Managers { get; }

    /// <summary>Who is meant by <c>manager.POOL.internal</c>.</summary>
    public PoolManager First => Managers[0];

    /// <summary>Who is meant by <c>ca.POOL.internal</c>.</summary>
    public PoolManager Authority => Managers.First(manager => manager.ServesAuthority);

    /// <summary>The manager that an address belongs to; null where it is none's. Allocates nothing: it is asked about packets.</summary>
    public PoolManager? At(IPv4Address address)
    {
        for (int i = 0; i < Managers.Count; i++)
        {
            if (Managers[i].Address == address)
            {
                return Managers[i];
            }
        }

        return null;
    }

    /// <summary>The manager that is meant by a label, its own host name or that of a service; null where it is none.</summary>
    public PoolManager? Named(string label) =>
        label switch
        {
            HostLabel.Manager => First,
            HostLabel.Authority => Authority,
            _ => Managers.FirstOrDefault(manager => string.Equals(manager.Host, label, StringComparison.OrdinalIgnoreCase)),
        };

    /// <summary>Makes a list.</summary>
    /// <param name="subnet">The pool's.</param>
    /// <param name="managers">In their order.</param>
    /// <param name="list">The list.</param>
    /// <param name="reason">Why it is none, one sentence.</param>
    public static bool TryCreate(Subnet subnet, IReadOnlyList<PoolManager> managers, [NotNullWhen(true)] out ManagerList? list, out string reason)
    {
        ArgumentNullException.ThrowIfNull(managers);
        list = null;
        reason = FindFault(subnet, managers) ?? string.Empty;
        if (reason.Length > 0)
        {
            return false;
        }

        list = new ManagerList([.. managers]);
        return true;
    }

    /// <summary>Reads a list.</summary>
    /// <param name="subnet">The pool's.</param>
    /// <param name="text">Any bytes.</param>
    /// <param name="list">The list.</param>
    /// <param name="reason">Why it is none, one sentence.</param>
    public static bool TryRead(Subnet subnet, ReadOnlySpan<byte> text, [NotNullWhen(true)] out ManagerList? list, out string reason)
    {
        list = null;
        // Head, managers, what follows the last line feed, and one more for what is too much: of that there may be a megabyte.
        string[] lines = Encoding.Latin1.GetString(text).Split('\n', MaxManagers + 3);
        if (lines[0] != Head || lines[^1].Length > 0 || lines.Length - 2 > MaxManagers)
        {
            reason = $"It is not '{Head}' and at most {MaxManagers} lines after it.";
            return false;
        }

        var managers = new List<PoolManager>();
        foreach (string line in lines.AsSpan(1..^1))
        {
            string[] words = line.Split(' ');
            bool isAuthority = words.Length == 3 && words[2] == AuthorityMark;
            if (!(words.Length == 2 || isAuthority) || !IPv4Address.TryParse(words[1], out IPv4Address address))
            {
                reason = $"Line {managers.Count + 2} is not HOST ADDRESS, with {AuthorityMark} after one of them.";
                return false;
            }

            managers.Add(new PoolManager(words[0], address, isAuthority));
        }

        return TryCreate(subnet, managers, out list, out reason);
    }

    /// <summary>The text.</summary>
    public byte[] Write()
    {
        var text = new StringBuilder(Head).Append('\n');
        foreach (PoolManager manager in Managers)
        {
            text.Append(manager.Host).Append(' ').Append(manager.Address).Append(manager.ServesAuthority ? $" {AuthorityMark}\n" : "\n");
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    private static string? FindFault(Subnet subnet, IReadOnlyList<PoolManager> managers) =>
        managers.Count is 0 or > MaxManagers ? $"A pool has 1 to {MaxManagers} managers."
        : managers.FirstOrDefault(manager => !HostLabel.IsLegal(manager.Host)) is { } nameless ? $"'{nameless.Host}' is not a DNS label."
        : managers.FirstOrDefault(manager => !subnet.IsHost(manager.Address)) is { } stranger ? $"{stranger.Address} is no host address of {subnet}."
        : managers.DistinctBy(manager => manager.Host).Count() < managers.Count ? "A host is named twice."
        : managers.DistinctBy(manager => manager.Address).Count() < managers.Count ? "An address is named twice."
        : managers.Skip(1).Any(manager => manager.Host == HostLabel.Manager) ? $"'{HostLabel.Manager}' is not the first, who answers to that name whatever it is called."
        : managers.Count(manager => manager.ServesAuthority) != 1 ? "One of the managers has the CA, and no more than one."
        : null;
}
