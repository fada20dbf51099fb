using static Brunet.Moment;

namespace Brunet.Nat.PortMapping;

/// <summary>
/// All methods at one gateway, tried side by side: each better one has a head start of half a second, the first that is granted the first
/// wish wins and the others are silent from then on. If it loses the mapping, all begin again.
/// </summary>
internal sealed class GatewayMapper
{
    /// <summary>How much earlier than the next a better method may answer.</summary>
    private static readonly TimeSpan HeadStart = TimeSpan.FromMilliseconds(500);

    private readonly IReadOnlyList<MappingWish> _wishes;
    private readonly PcpClient _pcp;
    private readonly NatPmpClient? _natPmp;
    private readonly UpnpClient? _upnp;

    [Own("the protocols that there are")]
    private readonly List<IMappingClient> _clients = [];

    private TimeSpan _started;
    private bool _hasStartedOthers;
    private IMappingClient? _winner;
    private bool _isReleased;

    public GatewayMapper(MappingGateway gateway, IReadOnlyList<MappingWish> wishes, IPortMapperOutput output, Random random, Action<TimeSpan> afterExchange)
    {
        (Gateway, _wishes) = (gateway, wishes);
        _clients.Add(_pcp = new PcpClient(gateway, wishes, output, random));
        if (gateway.Address.IsIPv4)
        {
            _clients.Add(_natPmp = new NatPmpClient(gateway, wishes, output, random));
            _clients.Add(_upnp = new UpnpClient(gateway, wishes, output, random, afterExchange));
        }
    }

    public MappingGateway Gateway { get; }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan Next
    {
        get
        {
            if (_isReleased)
            {
                return TimeSpan.MaxValue;
            }

            if (_winner is { } winner)
            {
                return winner.Next;
            }

            TimeSpan next = _hasStartedOthers || _natPmp is null ? TimeSpan.MaxValue : _started + HeadStart;
            if (_upnp is { MayConnect: false })
            {
                next = Earlier(next, _started + (2 * HeadStart));
            }

            foreach (IMappingClient client in _clients)
            {
                next = Earlier(next, client.Next);
            }

            return next;
        }
    }

    public void Start(TimeSpan now)
    {
        (_started, _winner, _hasStartedOthers) = (now, null, false);
        if (_upnp is not null)
        {
            _upnp.MayConnect = false;
        }

        _pcp.Start(now);
    }

    /// <summary>The gateway's host says that nobody listens on port 5351: neither PCP nor NAT-PMP is asked again for minutes.</summary>
    public void NobodyThere(TimeSpan now)
    {
        if (_isReleased)
        {
            return;
        }

        _pcp.NobodyThere(now);
        if (_winner is null && _natPmp is not null)
        {
            StartOthers(now);
            _natPmp.NobodyThere(now);
        }
    }

    public void Tick(TimeSpan now)
    {
        if (_isReleased)
        {
            return;
        }

        if (_winner is { } winner)
        {
            winner.Tick(now);
            if (winner.Find(now, _wishes[0]) is null)
            {
                Start(now);
            }

            return;
        }

        _pcp.Tick(now);
        if (_natPmp is { } natPmp)
        {
            if (!_hasStartedOthers && (now >= _started + HeadStart || _pcp.HasFailed))
            {
                StartOthers(now);
            }

            natPmp.Tick(now);
            _upnp!.MayConnect |= now >= _started + (2 * HeadStart);
            _upnp.Tick(now);
        }

        Judge(now);
    }

    /// <summary>Takes a datagram that came from the gateway's port 5351.</summary>
    public void ReceiveAnswer(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        _pcp.Receive(now, datagram);
        _natPmp?.Receive(now, datagram);
        Judge(now);
    }

    /// <summary>Takes a datagram that says of itself that it is the gateway's announcement.</summary>
    public void ReceiveAnnouncement(TimeSpan now, ReadOnlySpan<byte> datagram)
    {
        _pcp.ReceiveAnnouncement(now, datagram);
        _natPmp?.ReceiveAnnouncement(now, datagram);
    }

    /// <summary>Takes a datagram that the gateway sent as an answer to a search.</summary>
    public void ReceiveSearchAnswer(TimeSpan now, ReadOnlySpan<byte> datagram) => _upnp?.Receive(now, datagram);

    public void Release(TimeSpan now)
    {
        _isReleased = true;
        foreach (IMappingClient client in _clients)
        {
            client.Release(now);
        }
    }

    /// <summary>Adds what is mapped.</summary>
    public void AddTo(TimeSpan now, List<MappedPort> mapped)
    {
        Judge(now);
        if (_winner is { } winner)
        {
            foreach (MappingWish wish in _wishes)
            {
                if (winner.Find(now, wish) is { } external)
                {
                    mapped.Add(new MappedPort(winner.Method, wish, external));
                }
            }
        }
    }

    private void StartOthers(TimeSpan now)
    {
        if (!_hasStartedOthers)
        {
            _hasStartedOthers = true;
            _natPmp!.Start(now);
            _upnp!.Start(now);
        }
    }

    private void Judge(TimeSpan now)
    {
        if (_isReleased)
        {
            return;
        }

        foreach (IMappingClient client in _clients)
        {
            bool has = client.Find(now, _wishes[0]) is not null;
            if (has && _winner is null)
            {
                _winner = client;
            }
        }

        if (_winner is not null)
        {
            // The others are told to delete what they got in the same moment, and asked no more.
            foreach (IMappingClient client in _clients)
            {
                if (client != _winner && client.Next != TimeSpan.MaxValue)
                {
                    client.Release(now);
                }
            }
        }
    }
}
