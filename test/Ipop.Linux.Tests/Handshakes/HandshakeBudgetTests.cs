using System.Security.Cryptography;
using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop.Linux.Handshakes;
using Ipop.Linux.Randomness;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Ipop.Linux.Tests.Handshakes;

/// <summary>
/// Whole nodes with the platform's TLS, joined by memory: its flights are larger than what calls for them, and still nobody is sent more than
/// came from there before it has shown that it listens.
/// </summary>
public sealed class HandshakeBudgetTests(ITestOutputHelper output) : IDisposable
{
    private static readonly TransportAddress First = TransportAddress.FromIPv4(0xc6120001, 4433);
    private static readonly TransportAddress Second = TransportAddress.FromIPv4(0xc6120002, 4433);
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);

    private readonly List<(TransportAddress From, TransportAddress To, byte[] Datagram)> _wire = [];
    private readonly List<IDisposable> _owned = [];
    private TimeSpan _now = TimeSpan.FromSeconds(1);

    [Fact]
    public void Two_nodes_meet_in_a_few_turns_of_the_wire_without_any_timer()
    {
        Node one = Make(First, isFirst: true);
        Node two = Make(Second, isFirst: false);
        two.Tick(_now);
        int turns = 0;
        for (; one.Peers(_now).Count == 0 || two.Peers(_now).Count == 0; turns++)
        {
            Assert.True(turns < 8, "They never met.");
            foreach ((TransportAddress from, TransportAddress to, byte[] datagram) in Take())
            {
                (to == First ? one : two).ReceiveDatagram(_now, from, datagram);
            }
        }

        output.WriteLine($"{turns} turns, no timer");
        Assert.InRange(turns, 3, 5);
    }

    [Fact]
    public void A_first_flight_from_an_endpoint_that_never_answers_gets_no_more_bytes_than_it_has()
    {
        Node one = Make(First, isFirst: true);
        Node two = Make(Second, isFirst: false);
        two.Tick(_now);
        long came = 0;
        foreach ((TransportAddress from, TransportAddress to, byte[] datagram) in Take())
        {
            Assert.Equal((Second, First), (from, to));
            came += datagram.Length;
            one.ReceiveDatagram(_now, from, datagram);
        }

        for (int i = 0; i < 400; i++, _now += Step)
        {
            one.Tick(_now);
        }

        long sent = Take().Sum(flight => (long)flight.Datagram.Length);
        output.WriteLine($"{came} bytes in, {sent} out within 20 s");
        Assert.InRange(sent, 1, came);
    }

    public void Dispose() => _owned.ForEach(owned => owned.Dispose());

    private Node Make(TransportAddress endpoint, bool isFirst)
    {
        ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var provider = new OpenSslHandshakeProvider(key, default, null);
        _owned.AddRange([provider, key]);
        var settings = new NodeSettings(new byte[32], isFirst ? [] : [First], isFirst, IsOpen: true);
        return new Node(settings, new BareIdentity(key), provider, null, new SmallerOwnerWins(), new Wire(this, endpoint), new Random(7 + endpoint.GetHashCode()), HardwareRandom.Open(out _));
    }

    private List<(TransportAddress From, TransportAddress To, byte[] Datagram)> Take()
    {
        List<(TransportAddress, TransportAddress, byte[])> flights = [.. _wire];
        _wire.Clear();
        return flights;
    }

    private sealed class Wire(HandshakeBudgetTests tests, TransportAddress endpoint) : INodeOutput
    {
        public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram) => tests._wire.Add((endpoint, destination, datagram.ToArray()));

        public void SendDatagram(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram) => throw new NotSupportedException();

        public bool SendWhole(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
        {
            SendDatagram(destination, datagram);
            return true;
        }

        public int MtuHint(TransportAddress destination) => 0;

        public int OpenSocket() => 0;

        public void CloseSocket(int socket) => throw new NotSupportedException();

        public void Meet(TransportAddress endpoint, bool isClient)
        {
            // There is no TCP.
        }

        public void Redial(TransportAddress endpoint)
        {
        }

        public void HangUp(TransportAddress endpoint)
        {
        }

        public bool ComesFromListener(TransportAddress endpoint) => false;

        public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum)
        {
            // No packet is sent.
        }
    }

    private sealed class BareIdentity(ECDsa key) : ILocalIdentity
    {
        public NodeAddress Address => NodeAddress.FromPublicKey(PublicKey.Span);

        public ReadOnlyMemory<byte> PublicKey { get; } = key.ExportSubjectPublicKeyInfo();

        public MemberCertificate? Certificate => null;

        public byte[] Sign(ReadOnlySpan<byte> message) => key.SignData(message, HashAlgorithmName.SHA256);
    }
}
