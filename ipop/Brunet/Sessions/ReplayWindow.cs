using System.Numerics;

namespace Brunet.Sessions;

/// <summary>
/// Which counters were seen, for counters within <see cref="Size"/> of the highest (RFC 6479). The zero value is ready. Wide, because
/// offload bursts and two warm paths reorder by thousands.
/// </summary>
internal sealed class ReplayWindow
{
    /// <summary>Counters that may be late, in packets.</summary>
    public const int Size = Bits - 64;

    private const int Bits = 16384;

    private readonly ulong[] _seen = new ulong[Bits / 64];
    private ulong _highest;
    private bool _any;

    /// <summary>Whether an authenticated packet with this counter is new; if so, it is no more.</summary>
    public bool Accept(ulong counter)
    {
        if (!_any)
        {
            _any = true;
            _highest = counter;
        }
        else if (counter > _highest)
        {
            ulong from = _highest / 64;
            ulong words = Math.Min((counter / 64) - from, (ulong)_seen.Length);
            for (ulong i = 1; i <= words; i++)
            {
                _seen[(from + i) % (ulong)_seen.Length] = 0;
            }

            _highest = counter;
        }
        else if (_highest - counter >= Size)
        {
            return false;
        }

        ref ulong word = ref _seen[counter / 64 % (ulong)_seen.Length];
        ulong bit = 1UL << (int)(counter % 64);
        if ((word & bit) != 0)
        {
            return false;
        }

        word |= bit;
        return true;
    }

    /// <summary>How many counters between two, neither counted, were not seen; of those that lie behind the window nothing is known, so they are not counted.</summary>
    public ulong Missing(ulong after, ulong before)
    {
        ulong first = Math.Max(after + 1, _highest < Size ? 0 : _highest - Size + 1);
        ulong missing = before > first ? before - first : 0;
        ulong end = before > _highest ? _highest + 1 : before;
        for (ulong counter = first; counter < end;)
        {
            // A word at a time: a peer may leave out thousands with each frame.
            int skipped = (int)(counter % 64);
            int count = (int)Math.Min(end - counter, (ulong)(64 - skipped));
            ulong wanted = ulong.MaxValue >> (64 - count) << skipped;
            missing -= (ulong)BitOperations.PopCount(_seen[counter / 64 % (ulong)_seen.Length] & wanted);
            counter += (ulong)count;
        }

        return missing;
    }
}
