using Brunet;
using Brunet.Dht;
using static Brunet.Moment;

namespace Ipop.Addresses;

/// <summary>Keeps the records that follow from the local address: host name, and the services of a manager.</summary>
internal sealed class Publisher
{
    /// <summary>A name that somebody else holds is tried again after this.</summary>
    private static readonly TimeSpan LostFor = TimeSpan.FromSeconds(60);

    /// <summary>Pause after a create that the DHT did not answer.</summary>
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(5);

    private readonly IOverlay _overlay;

    [Own("the node's own names")]
    private readonly List<Published> _records = [];

    public Publisher(IOverlay overlay) => _overlay = overlay;

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = TimeSpan.MaxValue;
            foreach (Published record in _records)
            {
                next = Earlier(record.At, next);
            }

            return next;
        }
    }

    /// <summary>Adds one for each name that somebody else holds.</summary>
    public void AddWarnings(List<NetworkWarning> warnings)
    {
        foreach (Published record in _records)
        {
            if (record.IsLost)
            {
                warnings.Add(new(
                    NetworkWarningKind.NameTaken,
                    $"The {(record.Key.Kind == RecordKind.Service ? "service" : "host name")} '{record.Key.Name}' belongs to another node; choose another name."));
            }
        }
    }

    /// <summary>Replaces what is published; null address withdraws everything.</summary>
    public void Set(TimeSpan now, IPv4Address? address, string? hostName, IEnumerable<string> services)
    {
        List<RecordKey> wanted = [];
        if (address is not null && hostName is { Length: > 0 })
        {
            wanted.Add(new RecordKey(RecordKind.HostName, hostName));
        }

        if (address is not null)
        {
            wanted.AddRange(services.Select(service => new RecordKey(RecordKind.Service, service)));
        }

        foreach (Published record in _records)
        {
            record.IsWithdrawn = true;
            if (!wanted.Contains(record.Key))
            {
                _overlay.Release(now, record.Key);
            }
        }

        _records.Clear();
        foreach (RecordKey key in wanted)
        {
            _records.Add(new Published(key, AddressValue.ForName(address!.Value)) { At = now });
        }
    }

    /// <summary>Writes what is due.</summary>
    public void Tick(TimeSpan now)
    {
        if (!_overlay.IsJoined)
        {
            return;
        }

        // By index and from the end: a completion may come at once, and may replace the list.
        for (int i = _records.Count - 1; i >= 0 && i < _records.Count; i--)
        {
            Published record = _records[i];
            if (now >= record.At)
            {
                record.At = TimeSpan.MaxValue;
                _overlay.Create(now, record.Key, record.Value, (then, answer) => OnCreated(then, record, answer.Status));
            }
        }
    }

    private static void OnCreated(TimeSpan now, Published record, DhtStatus status)
    {
        if (!record.IsWithdrawn)
        {
            record.IsLost = status == DhtStatus.Lost || (record.IsLost && status == DhtStatus.TimedOut);
            record.At = status switch
            {
                DhtStatus.TimedOut => now + RetryAfter,
                DhtStatus.Lost => now + LostFor,
                _ => TimeSpan.MaxValue,
            };
        }
    }

    private sealed class Published(RecordKey key, ReadOnlyMemory<byte> value)
    {
        public RecordKey Key { get; } = key;

        public ReadOnlyMemory<byte> Value { get; } = value;

        public TimeSpan At { get; set; }

        public bool IsLost { get; set; }

        public bool IsWithdrawn { get; set; }
    }
}
