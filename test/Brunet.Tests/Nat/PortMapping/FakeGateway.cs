using System.Buffers.Binary;
using System.Text;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

/// <summary>A network with one gateway whose answers a test writes; time passes only when the test says so.</summary>
internal sealed class FakeGateway : IPortMapperOutput
{
    public static readonly MappingGateway Gateway = new(TransportAddress.FromIPv4(0x0a000001, 0), TransportAddress.FromIPv4(0x0a000002, 0), 2);

    private readonly Queue<Action> _exchanges = new();
    private readonly Dictionary<object, int> _seen = [];

    public FakeGateway(params MappingWish[] further)
    {
        Mapper = new PortMapper([new MappingWish(TransportProtocol.Udp, 4433), .. further], this, new Random(1));
    }

    public PortMapper Mapper { get; }

    public TimeSpan Now { get; set; } = TimeSpan.FromHours(1);

    /// <summary>When the gateway's table began.</summary>
    public TimeSpan Born { get; set; }

    public uint Epoch => (uint)(Now - Born).TotalSeconds;

    public List<byte[]> Asked { get; } = [];

    public List<string> Searched { get; } = [];

    public List<(ushort Port, string Request)> Exchanged { get; } = [];

    public List<IReadOnlyList<MappedPort>> Changes { get; } = [];

    /// <summary>Answers a datagram to port 5351; null for silence.</summary>
    public Func<byte[], byte[]?>? Answer { get; set; }

    /// <summary>Answers an HTTP request.</summary>
    public Func<string, string>? Serve { get; set; }

    /// <summary>Answers searches with this location.</summary>
    public string? Location { get; set; }

    public TransportAddress Source { get; set; } = Gateway.Address with { Port = PortMapper.Port };

    public void Ask(MappingGateway gateway, ReadOnlySpan<byte> datagram) => Asked.Add(datagram.ToArray());

    public void Search(MappingGateway gateway, ReadOnlySpan<byte> datagram) => Searched.Add(Encoding.ASCII.GetString(datagram));

    public void Exchange(MappingGateway gateway, ushort port, ReadOnlyMemory<byte> request, Action<TimeSpan, ReadOnlyMemory<byte>> done)
    {
        string text = Encoding.ASCII.GetString(request.Span);
        Exchanged.Add((port, text));
        _exchanges.Enqueue(() => done(Now, Encoding.ASCII.GetBytes(Serve?.Invoke(text) ?? "")));
    }

    public void MappingsChanged(TimeSpan now, IReadOnlyList<MappedPort> mappings) => Changes.Add(mappings);

    public void Start() => Mapper.SetGateways(Now, [Gateway]);

    /// <summary>Lets time pass in the mapper's own steps, with the gateway's answers in between.</summary>
    public void Run(TimeSpan time)
    {
        TimeSpan end = Now + time;
        while (true)
        {
            Deliver();
            TimeSpan next = Mapper.NextTick;
            if (next > end)
            {
                Now = end;
                return;
            }

            Assert.True(next > Now - TimeSpan.FromSeconds(1), "time runs backwards");
            Now = next > Now ? next : Now;
            Mapper.Tick(Now);
        }
    }

    /// <summary>An answer of PCP to a request, as the gateway in RFC 6887 figure 10 gives it.</summary>
    public byte[] Pcp(byte[] request, byte result = 0, uint seconds = 3600, uint external = 0xc0000207, ushort port = 4433)
    {
        byte[] answer = (byte[])request.Clone();
        answer[1] |= 0x80;
        (answer[2], answer[3]) = (0, result);
        BinaryPrimitives.WriteUInt32BigEndian(answer.AsSpan(4), seconds);
        BinaryPrimitives.WriteUInt32BigEndian(answer.AsSpan(8), Epoch);
        answer.AsSpan(12, 12).Clear();
        BinaryPrimitives.WriteUInt16BigEndian(answer.AsSpan(42), port);
        new TransportAddress(0, (0xfffful << 32) | external, 0).WriteIPv6(answer.AsSpan(44));
        return answer;
    }

    /// <summary>An answer of NAT-PMP.</summary>
    public byte[] NatPmp(byte[] request, ushort result = 0, uint external = 0xc0000207, ushort port = 4433, uint seconds = 3600)
    {
        byte[] answer = new byte[request.Length == 2 ? 12 : 16];
        answer[1] = (byte)(request[1] | 0x80);
        BinaryPrimitives.WriteUInt16BigEndian(answer.AsSpan(2), result);
        BinaryPrimitives.WriteUInt32BigEndian(answer.AsSpan(4), Epoch);
        if (request.Length == 2)
        {
            BinaryPrimitives.WriteUInt32BigEndian(answer.AsSpan(8), external);
        }
        else
        {
            request.AsSpan(4, 2).CopyTo(answer.AsSpan(8));
            BinaryPrimitives.WriteUInt16BigEndian(answer.AsSpan(10), port);
            BinaryPrimitives.WriteUInt32BigEndian(answer.AsSpan(12), seconds);
        }

        return answer;
    }

    private void Deliver()
    {
        for (bool again = true; again;)
        {
            again = false;
            foreach (byte[] request in Taken(Asked))
            {
                if (Answer?.Invoke(request) is { } answer)
                {
                    Mapper.ReceiveAnswer(Now, Gateway, Source, answer);
                    again = true;
                }
            }

            foreach (string search in Taken(Searched))
            {
                if (Location is { } location)
                {
                    string target = search.Split("\r\nST: ")[1].Trim();
                    string answer = $"HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nST: {target}\r\nLocation: {location}\r\n\r\n";
                    Mapper.ReceiveSearchAnswer(Now, Gateway, Source with { Port = 1900 }, Encoding.ASCII.GetBytes(answer));
                    again = true;
                }
            }

            while (_exchanges.TryDequeue(out Action? exchange))
            {
                exchange();
                again = true;
            }
        }
    }

    private List<T> Taken<T>(List<T> list)
    {
        int seen = _seen.GetValueOrDefault(list);
        List<T> taken = list[seen..];
        _seen[list] = list.Count;
        return taken;
    }
}
