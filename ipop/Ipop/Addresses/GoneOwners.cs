using Brunet;
using Brunet.Addressing;
using static Brunet.Moment;

namespace Ipop.Addresses;

/// <summary>
/// The addresses in use whose owner's machine is gone while others are heard. The machine's kernel is told, so that who connects there does not wait for what
/// never comes. From then on the kernel sends nothing there, so the node is had to call the owner, and the kernel is told as soon as that was heard.
/// </summary>
internal sealed class GoneOwners(IOverlay overlay, OwnerMap owners)
{
    /// <summary>Addresses at a time; the one that is looked at for longest gives way.</summary>
    private const int Most = 64;

    /// <summary>How long an owner has to look gone: after a cut of one's own network all come back within that time of each other.</summary>
    private static readonly TimeSpan Sure = TimeSpan.FromSeconds(2);

    /// <summary>Nobody is suspected for longer without another packet to him.</summary>
    private static readonly TimeSpan SuspectedFor = TimeSpan.FromSeconds(10);

    /// <summary>Then the kernel may try again. Nobody knows whether it still wants to, so nobody is called for ever.</summary>
    private static readonly TimeSpan GoneFor = TimeSpan.FromMinutes(10);

    private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan CallEvery = TimeSpan.FromSeconds(5);

    [Bounded(nameof(Most))]
    private readonly Dictionary<IPv4Address, Absence> _absences = [];

    /// <summary>Hears of each address whether its machine is gone now; null if nobody needs to know, and then nothing is looked at.</summary>
    public Action<IPv4Address, bool>? Changed { get; set; }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>The machine sends something to an owner that is unreachable.</summary>
    public void Suspect(TimeSpan now, OwnerEntry entry)
    {
        if (Changed is null || _absences.ContainsKey(entry.Address))
        {
            return;
        }

        if (_absences.Count >= Most)
        {
            IPv4Address oldest = default;
            TimeSpan begun = TimeSpan.MaxValue;
            foreach ((IPv4Address address, Absence absence) in _absences)
            {
                (oldest, begun) = absence.BegunAt < begun ? (address, absence.BegunAt) : (oldest, begun);
            }

            End(oldest);
        }

        _absences.Add(entry.Address, new Absence { Node = entry.Node, BegunAt = now });
        NextTick = Earlier(NextTick, now);
    }

    /// <summary>A packet came from the owner of an address. What it asks can be answered at once.</summary>
    public void OnPacket(IPv4Address source, NodeAddress node)
    {
        if (_absences.Count > 0 && _absences.TryGetValue(source, out Absence? absence) && absence.Node == node)
        {
            End(source);
        }
    }

    /// <summary>Forgets all: the machine has another address, or none.</summary>
    public void Clear()
    {
        foreach (IPv4Address address in _absences.Keys)
        {
            End(address);
        }
    }

    /// <summary>Lets time pass. Call at <see cref="NextTick"/> or a little later.</summary>
    public void Tick(TimeSpan now)
    {
        if (now < NextTick)
        {
            return;
        }

        foreach ((IPv4Address address, Absence absence) in _absences)
        {
            if (!(absence.GoneAt is { } gone ? StaysGone(now, address, absence, gone) : StaysSuspected(now, address, absence)))
            {
                End(address);
            }
        }

        NextTick = _absences.Count > 0 ? now + LookEvery : TimeSpan.MaxValue;
    }

    private bool StaysSuspected(TimeSpan now, IPv4Address address, Absence absence)
    {
        if (!overlay.IsUnreachable(now, absence.Node) || now - absence.BegunAt >= SuspectedFor)
        {
            return false;
        }

        absence.LooksGoneSince = overlay.IsGone(now, absence.Node) ? absence.LooksGoneSince ?? now : null;
        if (now - absence.LooksGoneSince >= Sure)
        {
            (absence.GoneAt, absence.CallAt) = (now, now);
            Changed?.Invoke(address, true);
        }

        return true;
    }

    private bool StaysGone(TimeSpan now, IPv4Address address, Absence absence, TimeSpan gone)
    {
        if (now - gone >= GoneFor || overlay.HeardAt(absence.Node) > gone)
        {
            return false;
        }

        if (now >= absence.CallAt)
        {
            absence.CallAt = now + CallEvery;
            overlay.Seek(now, absence.Node);

            // The address may be another machine's by now.
            OwnerEntry entry = owners.Get(now, address);
            return !entry.IsKnown || entry.Node == absence.Node;
        }

        return true;
    }

    private void End(IPv4Address address)
    {
        if (_absences.Remove(address, out Absence? absence) && absence.GoneAt is not null)
        {
            Changed?.Invoke(address, false);
        }
    }

    private sealed class Absence
    {
        public required NodeAddress Node { get; init; }

        public required TimeSpan BegunAt { get; init; }

        public TimeSpan? LooksGoneSince { get; set; }

        /// <summary>When the kernel was told; null while the owner is only suspected.</summary>
        public TimeSpan? GoneAt { get; set; }

        public TimeSpan CallAt { get; set; }
    }
}
