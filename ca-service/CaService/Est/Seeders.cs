using System.Net;

namespace CaService.Est;

/// <summary>
/// Who said to have a file of the published stack, and so may be asked for it in the place of the CA. Nobody is believed: who fetches compares size and SHA-256. A
/// machine speaks for its own address alone, IPsec has seen to that.
/// </summary>
/// <param name="time">Counts how long it is known.</param>
/// <param name="chance">Draws who is named.</param>
/// <remarks>Safe for concurrent use. Holds <see cref="Most"/> addresses a file, of the files of one stack. A CA that starts anew knows nobody, and learns.</remarks>
internal sealed class Seeders(TimeProvider time, Random chance)
{
    /// <summary>So many are kept of a file: the last ones that said so.</summary>
    internal const int Most = 64;

    /// <summary>So many are named to one that asks.</summary>
    internal const int Named = 4;

    /// <summary>How long one is named: machines of volunteers are switched off.</summary>
    internal static readonly TimeSpan Life = TimeSpan.FromHours(6);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, List<(IPAddress Address, long Since)>> _known = [];

    /// <summary>One has a file.</summary>
    /// <param name="file">Its SHA-256.</param>
    /// <param name="address">Who says so.</param>
    /// <param name="files">The files of the published stack: whoever has another one is forgotten.</param>
    public void Note(string file, IPAddress address, IEnumerable<StackLayer> files)
    {
        lock (_lock)
        {
            foreach (string former in _known.Keys.Except(files.Select(one => one.Digest)).ToList())
            {
                _known.Remove(former);
            }

            if (!_known.TryGetValue(file, out List<(IPAddress Address, long Since)>? known))
            {
                _known[file] = known = [];
            }

            known.RemoveAll(one => one.Address.Equals(address));
            known.Add((address, time.GetTimestamp()));
            known.RemoveRange(0, Math.Max(known.Count - Most, 0));
        }
    }

    /// <summary>Some that have a file, drawn by chance, but not who asks.</summary>
    public IReadOnlyList<IPAddress> Some(string file, IPAddress asker)
    {
        lock (_lock)
        {
            if (!_known.TryGetValue(file, out List<(IPAddress Address, long Since)>? known))
            {
                return [];
            }

            known.RemoveAll(one => time.GetElapsedTime(one.Since) > Life);
            IPAddress[] others = [.. known.Select(one => one.Address).Where(one => !one.Equals(asker))];
            chance.Shuffle(others);
            return others[..Math.Min(others.Length, Named)];
        }
    }
}
