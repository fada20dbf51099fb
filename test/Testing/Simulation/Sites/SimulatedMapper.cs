using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Testing.Simulation.Sites;

/// <summary>What the daemon has for port mapping, in the simulated world: the product's own mapper, and the way to the gateway and back.</summary>
internal sealed class SimulatedMapper : IPortMapperOutput
{
    private static readonly TimeSpan Way = TimeSpan.FromMilliseconds(1);

    private readonly SimulatedNode _node;
    private readonly Func<TimeSpan> _clock;
    private readonly Action<TimeSpan, Action> _later;
    private readonly PortMapper _mapper;
    private readonly MappingGateway _gateway;
    private readonly PortMappingService _service;
    private readonly int _life;
    private TimeSpan _tickAt = TimeSpan.MaxValue;

    private SimulatedMapper(SimulatedNode node, PortMappingService service, Random random, Func<TimeSpan> clock, Action<TimeSpan, Action> later)
    {
        MappingWish[] ports = [new(TransportProtocol.Udp, SimulatedNode.Port), new(TransportProtocol.Tcp, SimulatedNode.Port), new(TransportProtocol.Tcp, 443) { IsExact = true }];
        (_node, _clock, _later, _service, _life) = (node, clock, later, service, node.Lives);
        _mapper = new PortMapper(ports, this, random);
        _gateway = new MappingGateway(service.Inner, node.Host.Addresses[0], Link: 2);
        _mapper.SetGateways(clock(), [_gateway]);
        Schedule();
    }

    /// <summary>Has the ports of a node mapped in this life of it, if its gateway does such things.</summary>
    /// <param name="node">Whose ports they are.</param>
    /// <param name="random">Chance.</param>
    /// <param name="clock">The present.</param>
    /// <param name="later">Lets something happen after some time.</param>
    public static void Begin(SimulatedNode node, Random random, Func<TimeSpan> clock, Action<TimeSpan, Action> later)
    {
        if (node.Host.Lan.Gateway?.Service is { } service)
        {
            _ = new SimulatedMapper(node, service, random, clock, later);
        }
    }

    private TransportAddress Local => _gateway.Local;

    public void Ask(MappingGateway gateway, ReadOnlySpan<byte> datagram)
    {
        byte[] request = datagram.ToArray();
        After(2 * Way, () =>
        {
            if (!_service.ListensForPcp)
            {
                _mapper.NobodyThere(_clock(), _gateway);
            }
            else if (_service.Answer(_clock(), Local, request) is { } answer)
            {
                _mapper.ReceiveAnswer(_clock(), _gateway, _gateway.Address with { Port = PortMapper.Port }, answer);
            }
        });
    }

    public void Search(MappingGateway gateway, ReadOnlySpan<byte> datagram)
    {
        const ushort SsdpPort = 1900;
        byte[] request = datagram.ToArray();
        After(2 * Way, () =>
        {
            if (_service.AnswerSearch(request) is { } answer)
            {
                _mapper.ReceiveSearchAnswer(_clock(), _gateway, _gateway.Address with { Port = SsdpPort }, answer);
            }
        });
    }

    public void Exchange(MappingGateway gateway, ushort port, ReadOnlyMemory<byte> request, Action<TimeSpan, ReadOnlyMemory<byte>> done) =>
        After(4 * Way, () => done(_clock(), _service.Serve(_clock(), Local, port, request.Span)));

    public void MappingsChanged(TimeSpan now, IReadOnlyList<MappedPort> mappings) =>
        _node.Node.SetMappedEndpoints(now, [.. mappings.Where(mapped => mapped.IsPublic).Select(mapped => mapped.External)]);

    private void Schedule()
    {
        if (_mapper.NextTick < _tickAt)
        {
            TimeSpan at = _tickAt = _mapper.NextTick;
            After(at - _clock(), () =>
            {
                if (_tickAt == at)
                {
                    _tickAt = TimeSpan.MaxValue;
                    _mapper.Tick(_clock());
                }
            });
        }
    }

    /// <summary>Lets something happen in this life of the node.</summary>
    private void After(TimeSpan wait, Action deed) => _later(wait > TimeSpan.Zero ? wait : TimeSpan.Zero, () =>
    {
        if (_node.IsAlive && _node.Lives == _life)
        {
            deed();
            Schedule();
        }
    });
}
