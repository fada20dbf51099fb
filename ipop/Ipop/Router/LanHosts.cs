using Brunet;
using Ipop.Addresses;
using Ipop.Dhcp;
using static Brunet.Moment;

namespace Ipop.Router;

/// <summary>
/// The hosts of the LAN behind the tap. Each is an Ethernet address; each gets one of the node's claimable addresses by a claim of the node's own key, by its own
/// DHCP server, as long as it renews its lease or can be heard.
/// </summary>
internal sealed class LanHosts
{
    /// <summary>DHCP messages in a row of all hosts without address together: a whole LAN that comes up at once.</summary>
    private const int NewcomersMessages = 500;

    /// <summary>What one more costs: 50 a second.</summary>
    private static readonly TimeSpan PerNewcomersMessage = TimeSpan.FromMilliseconds(20);

    private readonly IOverlay _overlay;
    private readonly VirtualNetworkOptions _options;
    private readonly RouterOptions _router;
    private readonly ClaimableCache _claimable;
    private readonly AddressHolder _machine;
    private readonly ITapOutput _output;
    private readonly DropCounters _drops;
    private readonly LanArp _arp;
    private readonly Allowance _newcomers = new(NewcomersMessages, PerNewcomersMessage);

    [Bounded(nameof(RouterOptions.MostHosts), On = typeof(RouterOptions))]
    private readonly Dictionary<ulong, LanHost> _byMac = [];

    [Bounded(nameof(RouterOptions.MostHosts), On = typeof(RouterOptions))]
    private readonly Dictionary<uint, LanHost> _byAddress = [];

    [Bounded(nameof(RouterOptions.MostHosts), On = typeof(RouterOptions))]
    private readonly List<LanHost> _visited = [];

    private TimeSpan _now;
    private TimeSpan _next;
    private bool _isStale = true;

    /// <summary>Makes the table, with the hosts of the last run.</summary>
    public LanHosts(
        IOverlay overlay, VirtualNetworkOptions options, RouterOptions router, ClaimableCache claimable, AddressHolder machine, ITapOutput output,
        DropCounters drops, TimeSpan now)
    {
        (_overlay, _router, _claimable, _machine, _output, _drops, _now) = (overlay, router, claimable, machine, output, drops, now);
        _options = options with { DnsServer = options.DnsServer ?? options.Subnet.Gateway };
        _arp = new LanArp(options.Subnet, output);
        foreach (KnownHost known in router.Known)
        {
            if (_byMac.Count < router.Hosts && IsHostMac(known.Mac) && known.Address != options.LastAddress && !_byMac.ContainsKey(known.Mac.Value))
            {
                LanHost host = Add(known.Mac, known.Address);
                host.HadAddress = true;

                // When it was told its lease is not known, so it may be as long as there are.
                host.Lease(now, TimeSpan.FromSeconds(options.LeaseSeconds));
            }
        }
    }

    /// <summary>How many hosts have an address.</summary>
    public int Count => _byAddress.Count;

    /// <summary>Grows whenever a host got or lost its address.</summary>
    public int Version { get; private set; }

    /// <summary>Whether all places are taken.</summary>
    public bool IsFull => Count >= _router.Hosts;

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick(TimeSpan now)
    {
        if (!_isStale)
        {
            return _next;
        }

        _isStale = false;
        _next = TimeSpan.MaxValue;
        foreach (LanHost host in _byMac.Values)
        {
            _next = Earlier(Earlier(_next, host.Due), Earlier(host.Holder.NextTick, host.Dhcp.NextTick(now)));

            // A claim that is under way changes this when it ends.
            _isStale |= host.Holder.IsClaiming;
        }

        return _next;
    }

    /// <summary>Repeats claims, looks after leases, forgets who is gone.</summary>
    public void Tick(TimeSpan now)
    {
        _now = now;
        if (now < NextTick(now))
        {
            return;
        }

        _isStale = true;
        _visited.AddRange(_byMac.Values);
        foreach (LanHost host in _visited)
        {
            host.Holder.Tick(now);
            host.Dhcp.Tick(now);
            (bool mustAsk, bool isOver) = host.LookAtLease(now);
            if (mustAsk)
            {
                _arp.Ask(host.Mac, host.Address!.Value);
            }
            else if (isOver)
            {
                host.Holder.Release(now, host.Address!.Value);
            }
            else if (host.MayGo(now))
            {
                _byMac.Remove(host.Mac.Value);
            }
        }

        _visited.Clear();
    }

    /// <summary>Takes a DHCP message that came from a station; false if it is none, or the station may not say it.</summary>
    public bool Receive(TimeSpan now, MacAddress station, ReadOnlySpan<byte> message)
    {
        _now = now;
        if (!DhcpRequest.TryRead(message, out DhcpRequest? read) || !MayCarry(now, station, read!))
        {
            return false;
        }

        DhcpRequest request = read! with { Station = station };
        bool isBeginning = request.Type is DhcpMessageType.Discover or DhcpMessageType.Request;
        if (!_byMac.TryGetValue(request.Mac.Value, out LanHost? host) && (!isBeginning || !IsHostMac(request.Mac)))
        {
            return false;
        }

        host = isBeginning && !MayClaim(now, host) ? null : host ?? Admit(request.Mac);
        if (host is null)
        {
            _drops.Add(DropReason.HostLimit);
            return true;
        }

        _isStale = true;
        host.ActiveAt = now;
        host.HeardAt = now;
        host.Dhcp.Take(now, request);
        return true;
    }

    /// <summary>The host that has an address; null if none does.</summary>
    public LanHost? Find(IPv4Address address) => _byAddress.GetValueOrDefault(address.Value);

    /// <summary>Whether a host has the address, or claims it.</summary>
    public bool Holds(IPv4Address address) => IsTaken(null, address);

    /// <summary>Whether the host with this Ethernet address has the address.</summary>
    public bool Speaks(TimeSpan now, MacAddress station, IPv4Address address)
    {
        if (!_byAddress.TryGetValue(address.Value, out LanHost? host) || host.Mac != station)
        {
            return false;
        }

        host.HeardAt = now;
        return true;
    }

    /// <summary>Whether a host may cause one more question to the DHT.</summary>
    public bool MayAsk(TimeSpan now, MacAddress station) => _byMac.TryGetValue(station.Value, out LanHost? host) && host.MayAsk(now);

    /// <summary>Tells a host which station of its own LAN has an address.</summary>
    public void Tell(MacAddress asker, IPv4Address askerAddress, IPv4Address address, MacAddress station) =>
        _arp.Tell(asker, askerAddress, address, station);

    /// <summary>Tells the LAN that an address is somebody else's, beyond the tap.</summary>
    public void Announce(TimeSpan now, IPv4Address address) => _arp.Announce(now, address);

    /// <summary>All of them, for people.</summary>
    public IReadOnlyList<HostStatus> Describe(TimeSpan now)
    {
        var hosts = new List<HostStatus>(_byMac.Count);
        foreach (LanHost host in _byMac.Values)
        {
            TimeSpan left = host.Address is not null && host.LeaseEnds > now ? host.LeaseEnds - now : TimeSpan.Zero;
            hosts.Add(new HostStatus(host.Mac, host.Address, left, now - host.HeardAt));
        }

        return hosts;
    }

    /// <summary>Those that have an address, for the next run.</summary>
    public IReadOnlyList<KnownHost> Known()
    {
        var known = new List<KnownHost>(_byAddress.Count);
        foreach (LanHost host in _byAddress.Values)
        {
            known.Add(new KnownHost(host.Mac, host.Address!.Value));
        }

        return known;
    }

    private static bool IsHostMac(MacAddress mac) => mac.Value != 0 && !mac.IsGroup && mac != MacAddress.Gateway;

    /// <summary>
    /// A host speaks for itself alone. A relay agent, where there may be any, speaks for others when they ask for an address; what gives one back they
    /// say themselves.
    /// </summary>
    private bool MayCarry(TimeSpan now, MacAddress station, DhcpRequest request) =>
        request.Relay == IPv4Address.Any
            ? request.Mac == station
            : _router.HasRelays && Speaks(now, station, request.Relay) && request.Type is DhcpMessageType.Discover or DhcpMessageType.Request;

    /// <summary>
    /// Whether a host, or one that is not known yet, may ask for an address now: the DHT is asked for it. A host can take new Ethernet addresses without end, so all that
    /// have no address share what they may.
    /// </summary>
    private bool MayClaim(TimeSpan now, LanHost? host) =>
        host?.MayClaim(now) is not false && (host?.Address is not null || _newcomers.TryTake(now));

    /// <summary>A place for a new host; null if all are taken by hosts that have, or just had, an address.</summary>
    private LanHost? Admit(MacAddress mac)
    {
        if (_byMac.Count >= _router.Hosts)
        {
            LanHost? oldest = null;
            foreach (LanHost host in _byMac.Values)
            {
                if (host.IsIdle && !host.HadAddress && (oldest is null || host.ActiveAt < oldest.ActiveAt))
                {
                    oldest = host;
                }
            }

            if (oldest is null)
            {
                return null;
            }

            _byMac.Remove(oldest.Mac.Value);
        }

        return Add(mac, null);
    }

    private LanHost Add(MacAddress mac, IPv4Address? last)
    {
        var host = new LanHost { Mac = mac, LostAddress = last };
        host.Holder = new AddressHolder(_overlay, _options.Subnet, _claimable, last, then => OnChanged(then, host), () => OnLost(host))
        {
            Start = _claimable.StartOf(mac),
            IsTaken = address => IsTaken(host, address),
            TrustsRecord = true,
        };
        host.Dhcp = new DhcpServer(_overlay, _options, host.Holder, _output, _drops, static () => null)
        {
            Leased = seconds => host.Lease(_now, TimeSpan.FromSeconds(seconds)),
        };
        _byMac.Add(mac.Value, host);
        _isStale = true;
        return host;
    }

    private bool IsTaken(LanHost? asker, IPv4Address address)
    {
        if (asker is not null && _machine.Holds(address))
        {
            return true;
        }

        foreach (LanHost host in _byMac.Values)
        {
            if (host != asker && host.Holder.Holds(address))
            {
                return true;
            }
        }

        return false;
    }

    private void OnChanged(TimeSpan now, LanHost host)
    {
        (_now, _isStale) = (now, true);
        Version++;
        if (host.Address is { } former)
        {
            _byAddress.Remove(former.Value);
            host.LostAddress = former;
        }

        host.ActiveAt = now;
        host.Address = host.Holder.Bound;
        if (host.Address is { } address)
        {
            host.HadAddress = true;
            _byAddress[address.Value] = host;
        }
    }

    /// <summary>Its address is somebody else's. A client that defends addresses (RFC 5227) hears that, the others learn it when they renew.</summary>
    private void OnLost(LanHost host)
    {
        _isStale = true;
        if (host.LostAddress is { } lost)
        {
            host.LostAddress = null;
            _arp.Announce(_now, lost);
        }
    }
}
