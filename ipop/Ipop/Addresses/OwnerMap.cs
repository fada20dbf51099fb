using Brunet;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>
/// Who owns which virtual address: a bounded cache before the DHT. The first packets to an unknown address wait for the answer;
/// a known owner is asked for again in the background while it is used, so traffic never stalls on a lookup.
/// </summary>
internal sealed class OwnerMap
{
    private readonly IOverlay _overlay;
    private readonly DropCounters _drops;
    private readonly bool _isOpen;
    private readonly Action<TimeSpan, OwnerEntry, WaitingPacket> _resume;

    [Bounded(nameof(OwnerMapLimits.Entries), On = typeof(OwnerMapLimits))]
    private readonly Dictionary<IPv4Address, OwnerEntry> _entries = [];

    private int _waitingBytes;
    private int _asked;
    private TimeSpan _forcedSweepAt;
    private TimeSpan _sweepAt = OwnerMapLimits.SweepEvery;

    /// <summary>Makes an empty cache.</summary>
    /// <param name="overlay">Where to look.</param>
    /// <param name="drops">Counts what could not wait.</param>
    /// <param name="isOpen">Whether bare keys are full members, so that their records need no quick refresh.</param>
    /// <param name="resume">Takes what waited, in order, when an answer came.</param>
    public OwnerMap(IOverlay overlay, DropCounters drops, bool isOpen, Action<TimeSpan, OwnerEntry, WaitingPacket> resume) =>
        (_overlay, _drops, _isOpen, _resume) = (overlay, drops, isOpen, resume);

    /// <summary>How many addresses are remembered.</summary>
    public int Count => _entries.Count;

    /// <summary>The address that a node was last known to own, or null. For people: walks the whole cache.</summary>
    public IPv4Address? AddressOf(NodeAddress node)
    {
        OwnerEntry? latest = null;
        foreach (OwnerEntry entry in _entries.Values)
        {
            if (entry.IsKnown && entry.Node == node && (latest is null || entry.LearnedAt > latest.LearnedAt))
            {
                latest = entry;
            }
        }

        return latest?.Address;
    }

    /// <summary>Whether the address was asked for lately, so that it costs no new place.</summary>
    public bool Remembers(IPv4Address address) => _entries.ContainsKey(address);

    /// <summary>Whether a node is known to own the address. Asks nobody.</summary>
    public bool IsOwner(TimeSpan now, IPv4Address address, NodeAddress node) =>
        _entries.TryGetValue(address, out OwnerEntry? entry) && entry.IsKnown && now < entry.ExpiresAt && entry.Node == node;

    /// <summary>
    /// What is known of an address; asks the DHT if nothing is, or soon will be. Look at IsKnown first, then at IsAsked: neither
    /// means that it has no owner, or that too many questions are open already.
    /// </summary>
    public OwnerEntry Get(TimeSpan now, IPv4Address address)
    {
        if (!_entries.TryGetValue(address, out OwnerEntry? entry))
        {
            entry = Add(now, address);
        }

        if (now >= entry.ExpiresAt)
        {
            entry.IsKnown = false;
        }

        if (now >= entry.RefreshAt && !entry.IsAsked)
        {
            Ask(now, entry);
        }

        return entry;
    }

    /// <summary>Asks again about an owner that seems to have changed, unless the knowledge is too fresh; true if an answer will come.</summary>
    public bool Doubt(TimeSpan now, OwnerEntry entry)
    {
        if (!entry.IsAsked && now - entry.LearnedAt >= OwnerMapLimits.TrustAtLeast)
        {
            Ask(now, entry);
        }

        return entry.IsAsked;
    }

    /// <summary>Takes what a session proved: the certificate of this node names the address.</summary>
    public void Learn(TimeSpan now, IPv4Address address, NodeAddress node)
    {
        if (_entries.TryGetValue(address, out OwnerEntry? entry))
        {
            if (entry is { IsKnown: true, IsCertified: true })
            {
                // Two certificates for one address: the DHT says which one stands, not who spoke last.
                if (entry.Node != node)
                {
                    Doubt(now, entry);
                }

                return;
            }
        }
        else
        {
            entry = Add(now, address);
        }

        Set(now, entry, node, isCertified: true);
        Release(now, entry);
    }

    /// <summary>Keeps a packet until the answer comes; drops and counts it if too much waits already.</summary>
    public void Wait(OwnerEntry entry, WaitingPacket packet)
    {
        Queue<WaitingPacket> waiting = entry.Waiting ??= new Queue<WaitingPacket>();
        if (waiting.Count >= OwnerMapLimits.WaitingPackets || _waitingBytes + packet.Bytes.Length > OwnerMapLimits.WaitingBytes)
        {
            _drops.Add(DropReason.QueueFull);
            return;
        }

        _waitingBytes += packet.Bytes.Length;
        waiting.Enqueue(packet);
    }

    /// <summary>Forgets what has not been used for long.</summary>
    public void Tick(TimeSpan now)
    {
        if (now >= _sweepAt)
        {
            _sweepAt = now + OwnerMapLimits.SweepEvery;
            Sweep(now);
        }
    }

    private OwnerEntry Add(TimeSpan now, IPv4Address address)
    {
        if (_entries.Count >= OwnerMapLimits.Entries && now >= _forcedSweepAt)
        {
            _forcedSweepAt = now + OwnerMapLimits.RetryAfter;
            Sweep(now);
        }

        var entry = new OwnerEntry { Address = address };
        if (_entries.Count < OwnerMapLimits.Entries)
        {
            _entries.Add(address, entry);
        }
        else
        {
            // Full of live entries: this one is not remembered, and not asked for either.
            entry.RefreshAt = TimeSpan.MaxValue;
        }

        return entry;
    }

    private void Sweep(TimeSpan now)
    {
        List<IPv4Address> old = [];
        foreach ((IPv4Address address, OwnerEntry entry) in _entries)
        {
            if (now >= entry.ExpiresAt && !entry.IsAsked)
            {
                old.Add(address);
            }
        }

        foreach (IPv4Address address in old)
        {
            _entries.Remove(address);
        }
    }

    private void Ask(TimeSpan now, OwnerEntry entry)
    {
        if (_asked >= OwnerMapLimits.OpenQuestions)
        {
            return;
        }

        _asked++;
        entry.IsAsked = true;
        _overlay.Lookup(now, AddressValue.Key(entry.Address), (then, answer) => OnAnswer(then, entry, answer));
    }

    private void OnAnswer(TimeSpan now, OwnerEntry entry, DhtAnswer answer)
    {
        _asked--;
        entry.IsAsked = false;
        switch (AddressValue.Owner(answer))
        {
            case { } owner:
                Set(now, entry, owner.Address, owner.Certificate is not null);
                break;
            case null when answer.Status == DhtStatus.TimedOut:
                // What was known stays good until it expires; ask again soon.
                entry.IsNobodys = false;
                entry.RefreshAt = now + OwnerMapLimits.RetryAfter;
                entry.ExpiresAt = entry.IsKnown ? entry.ExpiresAt : entry.RefreshAt;
                break;
            default:
                entry.IsKnown = false;
                entry.IsNobodys = true;
                entry.LearnedAt = now;
                entry.RefreshAt = entry.ExpiresAt = now + OwnerMapLimits.NobodyFor;
                break;
        }

        Release(now, entry);
    }

    private void Set(TimeSpan now, OwnerEntry entry, NodeAddress node, bool isCertified)
    {
        // A bare owner of a closed pool is about to get its certificate, so that knowledge ages fast.
        bool isStable = isCertified || _isOpen;
        entry.IsKnown = true;
        entry.IsNobodys = false;
        entry.Node = node;
        entry.IsCertified = isCertified;
        entry.LearnedAt = now;
        entry.RefreshAt = now + (isStable ? OwnerMapLimits.RefreshAfter : OwnerMapLimits.RefreshBareAfter);
        entry.ExpiresAt = now + (isStable ? OwnerMapLimits.ExpireAfter : OwnerMapLimits.ExpireBareAfter);
    }

    private void Release(TimeSpan now, OwnerEntry entry)
    {
        if (entry.Waiting is not { } waiting)
        {
            return;
        }

        entry.Waiting = null;
        foreach (WaitingPacket packet in waiting)
        {
            _waitingBytes -= packet.Bytes.Length;
            _resume(now, entry, packet);
        }
    }
}
