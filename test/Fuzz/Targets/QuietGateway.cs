using System.Text;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Fuzz.Targets;

/// <summary>A port mapper and a gateway that says nothing but what it is told to.</summary>
/// <param name="canConnect">Whether exchanges get the replies of <see cref="Replies"/>, one after the other; else none.</param>
internal sealed class QuietGateway(bool canConnect) : IPortMapperOutput
{
    public static readonly MappingGateway Gateway = new(TransportAddress.FromIPv4(0x0a000001, 0), TransportAddress.FromIPv4(0x0a000002, 0), 2);

    private readonly Queue<Action<TimeSpan, ReadOnlyMemory<byte>>> _waiting = new();
    private PortMapper? _mapper;
    private bool _isSearched;

    public PortMapper Mapper => _mapper ??= new PortMapper([new MappingWish(TransportProtocol.Udp, 4433)], this, new Random(1));

    public TimeSpan Now { get; private set; } = TimeSpan.FromHours(1);

    public List<byte[]> Asked { get; } = [];

    public Queue<byte[]> Replies { get; } = new();

    /// <summary>Number of exchanges.</summary>
    public int Exchanged { get; private set; }

    public void Start() => Mapper.SetGateways(Now, [Gateway]);

    /// <summary>Lets time pass until the mapper searches: what comes before is no answer.</summary>
    public void PassUntilSearched()
    {
        for (int steps = 0; !_isSearched; steps++)
        {
            Oracle.That(steps < 100, "a gateway that does not answer is searched for");
            Pass(TimeSpan.FromSeconds(1));
        }
    }

    /// <summary>Lets time pass in the mapper's own steps.</summary>
    public void Pass(TimeSpan time)
    {
        TimeSpan end = Now + time;
        for (int steps = 0; ; steps++)
        {
            Oracle.That(steps < 5000, "time passes");
            while (_waiting.TryDequeue(out Action<TimeSpan, ReadOnlyMemory<byte>>? done))
            {
                done(Now, canConnect && Replies.TryDequeue(out byte[]? reply) ? reply : default);
            }

            if (Mapper.NextTick > end)
            {
                Now = end;
                return;
            }

            Now = Mapper.NextTick > Now ? Mapper.NextTick : Now;
            Mapper.Tick(Now);
        }
    }

    public void Ask(MappingGateway gateway, ReadOnlySpan<byte> datagram) => Asked.Add(datagram.ToArray());

    public void Search(MappingGateway gateway, ReadOnlySpan<byte> datagram) => _isSearched = true;

    public void Exchange(MappingGateway gateway, ushort port, ReadOnlyMemory<byte> request, Action<TimeSpan, ReadOnlyMemory<byte>> done)
    {
        Oracle.That(gateway == Gateway && port != 0, "only the gateway is connected to");
        string head = Encoding.ASCII.GetString(request.Span).Split("\r\n\r\n")[0];
        Oracle.That(head.Split("\r\n").Length is 3 or 6 && head.Split("\r\n")[0].Split(' ').Length == 3, "a request has the lines that were meant");
        Exchanged++;
        _waiting.Enqueue(done);
    }

    public void MappingsChanged(TimeSpan now, IReadOnlyList<MappedPort> mappings)
    {
    }
}
