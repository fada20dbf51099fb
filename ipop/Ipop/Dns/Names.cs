using Brunet;
using Brunet.Dht;
using Ipop.Addresses;

namespace Ipop.Dns;

/// <summary>Names of the zone, both ways. What the node knows of itself needs no DHT.</summary>
internal sealed class Names
{
    private static readonly RecordKey AuthorityKey = new(RecordKind.Service, HostLabel.Authority);

    /// <summary>Label of the zone's name server, which every node has beside its tap.</summary>
    public const string NameServer = Agreed.NameServerLabel;

    private readonly IOverlay _overlay;
    private readonly Subnet _subnet;
    private readonly Func<IPv4Address?> _localAddress;
    private readonly Func<string?> _localHost;
    private readonly Services _services;
    private readonly NameCache _cache;

    public Names(
        IOverlay overlay, VirtualNetworkOptions options, Func<IPv4Address?> localAddress, Func<string?> localHost, Services services)
    {
        (_overlay, _subnet, _localAddress, _localHost, _services) = (overlay, options.Subnet, localAddress, localHost, services);
        _cache = new NameCache(Lookup);
    }

    /// <summary>Finds the address of a label of the zone, lower case: <c>a-b-c-d</c>, the name server's, a service's, or a host's.</summary>
    /// <param name="now">The present.</param>
    /// <param name="label">The label.</param>
    /// <param name="mayAsk">Whether the DHT may be asked, called only where it would be; else what this node does not know is unknown.</param>
    /// <param name="done">Takes the answer, at once or later.</param>
    public void Find(TimeSpan now, string label, Func<bool> mayAsk, Action<TimeSpan, NameAnswer> done)
    {
        if (IPv4Address.TryParse(label, '-', out IPv4Address address))
        {
            done(now, _subnet.IsHost(address) ? Found(address) : new NameAnswer(NameStatus.NotFound, null));
        }
        else if (label == NameServer)
        {
            done(now, Found(_subnet.Gateway));
        }
        else if (!HostLabel.IsLegal(label))
        {
            done(now, new NameAnswer(NameStatus.NotFound, null));
        }
        else if (_services.AddressOf(label) is { } listed)
        {
            done(now, Found(listed));
        }
        else if (_localAddress() is { } local && (_services.IsOurs(label) || label == _localHost()))
        {
            done(now, Found(local));
        }
        else if (label == HostLabel.Manager)
        {
            FindManager(now, mayAsk, done);
        }
        else if (label == HostLabel.Authority)
        {
            FindAuthority(now, mayAsk, done);
        }
        else
        {
            _cache.Find(now, new RecordKey(RecordKind.HostName, label), mayAsk, done);
        }
    }

    /// <summary>Finds the label of an address: its certificate's host name, else <c>a-b-c-d</c>; null where the DHT would have to be asked and may not be.</summary>
    public void FindHost(TimeSpan now, IPv4Address address, Func<bool> mayAsk, Action<TimeSpan, string?> done)
    {
        string numbers = address.ToString('-');
        if (address == _localAddress())
        {
            done(now, _localHost() ?? numbers);
            return;
        }

        if (!mayAsk())
        {
            done(now, null);
            return;
        }

        _overlay.Lookup(now, AddressValue.Key(address), (then, answer) =>
        {
            string? host = AddressValue.Owner(answer)?.Certificate?.HostName.ToLowerInvariant();
            done(then, HostLabel.IsLegal(host) ? host : numbers);
        });
    }

    private static NameAnswer Found(IPv4Address address) => new(NameStatus.Found, address);

    // A manager of a release that knew no second one publishes no such name, and has the CA.
    private void FindAuthority(TimeSpan now, Func<bool> mayAsk, Action<TimeSpan, NameAnswer> done) =>
        _cache.Find(now, AuthorityKey, mayAsk, (then, answer) =>
        {
            if (answer.Status == NameStatus.NotFound)
            {
                FindManager(then, mayAsk, done);
            }
            else
            {
                done(then, answer);
            }
        });

    // A host may be called manager too.
    private void FindManager(TimeSpan now, Func<bool> mayAsk, Action<TimeSpan, NameAnswer> done) =>
        _cache.Find(now, ManagerWatch.Key, mayAsk, (then, answer) =>
        {
            if (answer.Status == NameStatus.NotFound)
            {
                _cache.Find(then, new RecordKey(RecordKind.HostName, HostLabel.Manager), mayAsk, done);
            }
            else
            {
                done(then, answer);
            }
        });

    private void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, NameAnswer> done) =>
        _overlay.Lookup(now, key, (then, answer) => done(then, answer switch
        {
            { Status: DhtStatus.TimedOut } => new NameAnswer(NameStatus.Unknown, null),
            { Status: DhtStatus.Done, Record: { } record } when AddressValue.TryReadName(record, out IPv4Address address) => Found(address),
            _ => new NameAnswer(NameStatus.NotFound, null),
        }));
}
