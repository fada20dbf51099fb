using Brunet;
using Brunet.Dht;

namespace Ipop.Addresses;

/// <summary>Keeps an eye on the manager's address, for the status page: often until it is known, then now and then.</summary>
internal sealed class ManagerWatch
{
    /// <summary>Key of the record that says where the manager is.</summary>
    public static readonly RecordKey Key = new(RecordKind.Service, HostLabel.Manager);

    private static readonly TimeSpan UntilKnown = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan OnceKnown = TimeSpan.FromSeconds(30);

    private readonly IOverlay _overlay;

    public ManagerWatch(IOverlay overlay) => _overlay = overlay;

    /// <summary>The last answer; null before the first, and when there is no manager.</summary>
    public IPv4Address? Address { get; private set; }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick { get; private set; }

    /// <summary>Asks if it is time.</summary>
    public void Tick(TimeSpan now)
    {
        if (now >= NextTick && _overlay.IsJoined)
        {
            NextTick = now + (Address is null ? UntilKnown : OnceKnown);
            _overlay.Lookup(now, Key, OnAnswer);
        }
    }

    private void OnAnswer(TimeSpan now, DhtAnswer answer)
    {
        switch (answer)
        {
            case { Status: DhtStatus.Done, Record: { } record } when AddressValue.TryReadName(record, out IPv4Address address):
                Address = address;
                break;
            case { Status: DhtStatus.NotFound }:
                Address = null;
                break;
        }
    }
}
