using Brunet.Addressing;

namespace Brunet.Relay;

/// <summary>
/// What a node gives away of its bandwidth: one rate for all that it hands on for others, as a relay and on the ring, where handshakes travel.
/// What is handed on is owed, and the rate pays for it. Neither kind keeps the other from its part, and no peer keeps another from its share.
/// </summary>
/// <param name="rate">Bytes a second; 0 for no limit. The owner's limit may be less.</param>
internal sealed class RelayBudget(int rate)
{
    /// <summary>The burst is what the rate gives in a second; but a full frame always fits once, whatever the rate.</summary>
    private const int LeastBurst = 16 * 1024;

    /// <summary>Of the rate, while both kinds owe.</summary>
    private const double PartOfRing = 0.2;

    /// <summary>Of the burst: so much neither kind uses up, however many peers there are of it.</summary>
    private const double KeptForOther = 0.2;

    private readonly int _usual = rate;
    private readonly FairShares _ring = new();
    private readonly FairShares _relays = new();
    private int _rate = rate;
    private TimeSpan _counted;

    /// <summary>Frames handed on for others.</summary>
    public long Frames { get; private set; }

    /// <summary>Their bytes, without what this node put around them.</summary>
    public long Bytes { get; private set; }

    /// <summary>Frames that were dropped because they were beyond the rate or the sender's share of it, or the owner's limit.</summary>
    public long Refused { get; private set; }

    /// <summary>Whether nothing is left for relays now: the machine's own packets are all that its owner lets it send. The ring goes on.</summary>
    public bool IsRingAlone { get; set; }

    private double Burst => Math.Max(_rate, LeastBurst);

    /// <summary>Lowers the rate to the owner's limit of it; null for as it was at first. What is owed at another rate counts no more.</summary>
    public void Lower(int? most)
    {
        _rate = most is { } bytes && (_usual == 0 || bytes < _usual) ? Math.Max(1, bytes) : _usual;
        _ring.Clear();
        _relays.Clear();
    }

    /// <summary>Whether a frame of a peer may be handed on; counts it.</summary>
    public bool TryTake(TimeSpan now, NodeAddress from, int bytes, bool isRing)
    {
        Pay(now);
        FairShares kind = isRing ? _ring : _relays;
        if ((_rate > 0 && kind.OwedBy(from) + bytes > Room(kind)) || (IsRingAlone && !isRing))
        {
            Refused++;
            return false;
        }

        if (_rate > 0)
        {
            kind.Add(from, bytes);
        }

        Frames++;
        Bytes += bytes;
        return true;
    }

    /// <summary>
    /// What is left of the burst for frames of a kind. No peer may owe more than that (dynamic thresholds: A. Choudhury and E. Hahne, 1998): one
    /// alone takes half of it, two take a third each, and as much as each has is left for whoever comes next.
    /// </summary>
    private double Room(FairShares kind) => Math.Min(Burst - _ring.Owed - _relays.Owed, ((1 - KeptForOther) * Burst) - kind.Owed);

    /// <summary>Pays with what the rate has given since the last time: each kind has its part, and what it does not owe goes to the other.</summary>
    private void Pay(TimeSpan now)
    {
        double given = Math.Max(0, (now - _counted).TotalSeconds) * _rate;
        _counted = now;
        double over = _ring.Pay(PartOfRing * given) + _relays.Pay((1 - PartOfRing) * given);
        _relays.Pay(_ring.Pay(over));
    }
}
