using System.Buffers.Binary;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>Datagrams from port 5351 of a gateway that was asked by PCP and NAT-PMP: only an answer to what was asked is a mapping.</summary>
internal sealed class GatewayTarget : FuzzTarget
{
    public override string Name => "gateway";

    public override IMutator Mutator { get; } = new BytesOnly();

    public override int LongestInput => 1200;

    public override IEnumerable<Sample> Samples()
    {
        var gateway = new QuietGateway(canConnect: false);
        gateway.Start();
        byte[] pcp = [.. gateway.Asked[0]];
        pcp[1] |= 0x80;
        BinaryPrimitives.WriteUInt64BigEndian(pcp.AsSpan(8), 99ul << 32);
        pcp.AsSpan(16, 8).Clear();
        TransportAddress.FromIPv4(0xc0000207, 0).WriteIPv6(pcp.AsSpan(44));
        yield return new("pcp", pcp);
        byte[] refused = [.. pcp];
        refused[3] = 2;
        yield return new("pcp-refused", refused);
        yield return new("pcp-announcement", [2, 0x80, .. new byte[22]]);
        yield return new("other-version", [0, 0x81, 0, 1, 0, 0, 0, 9]);
        yield return new("nat-pmp-address", [0, 0x80, 0, 0, 0, 0, 0, 9, 192, 0, 2, 7]);
        yield return new("nat-pmp", [0, 0x81, 0, 0, 0, 0, 0, 9, 0x11, 0x51, 0x11, 0x51, 0, 0, 0x0e, 0x10]);
        yield return new("nat-pmp-refused", [0, 0x81, 0, 2, 0, 0, 0, 9]);
    }

    public override int Run(byte[] input)
    {
        var gateway = new QuietGateway(canConnect: false);
        gateway.Start();
        gateway.Pass(TimeSpan.FromSeconds(0.6));
        byte[] nonce = gateway.Asked[0][24..36];
        gateway.Mapper.ReceiveAnswer(gateway.Now, QuietGateway.Gateway, QuietGateway.Gateway.Address with { Port = PortMapper.Port }, input);
        int asked = gateway.Asked.Count;
        if (gateway.Mapper.Mapped.Count > 0)
        {
            Oracle.That(input.AsSpan(24, 12).SequenceEqual(nonce), "a mapping has the nonce of its request");
        }

        // Half of NAT-PMP's answer is there; one more datagram must not make a mapping of nothing.
        gateway.Mapper.ReceiveAnswer(gateway.Now, QuietGateway.Gateway, QuietGateway.Gateway.Address with { Port = PortMapper.Port }, input);
        gateway.Pass(TimeSpan.FromHours(1));
        Oracle.That(gateway.Asked.Count - asked < 400, "what a gateway says makes nobody ask it all the time");
        return (gateway.Mapper.Mapped.Count * 8) + Math.Min(gateway.Asked.Count - asked, 7);
    }

    private sealed class BytesOnly : IMutator
    {
        public byte[] Mutate(Random random, byte[] input, byte[] other) => ByteMutator.Change(random, input);
    }
}
