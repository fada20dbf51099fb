using System.Security.Cryptography;
using Brunet.Dht;
using Brunet.Wire;
using Ipop.Linux.Handshakes;
using Testing.Simulation;

namespace Fuzz.Capture;

/// <summary>What nodes said to each other, as it was sealed, and what went over the wire before there was a seal.</summary>
internal sealed class CapturedRun
{
    private static readonly SmallerOwnerWins Policy = new();

    private readonly List<List<byte[]>> _conversations = [];
    private readonly List<byte[]> _open = [];

    private CapturedRun()
    {
    }

    /// <summary>The sealed messages of each direction of each session.</summary>
    public IReadOnlyList<IReadOnlyList<byte[]>> Conversations => _conversations;

    /// <summary>Datagrams that are not sealed.</summary>
    public IReadOnlyList<byte[]> Open => _open;

    /// <summary>
    /// A small pool behind NATs of all kinds in virtual time, from its first node on: records, notices, traces, packets, a parted ring, a copied machine, a
    /// goodbye. Equal in each run.
    /// </summary>
    public static CapturedRun OfPool()
    {
        var run = new CapturedRun();
        var random = new Random(11);
        var world = new SimulatedNetwork(seed: 11) { AllListen = true };
        world.HandshakesOf = identity => new TappedHandshakes(new SimulatedHandshakeProvider(identity, world.Authority, random), run._conversations);
        world.Wire = run.Note;
        foreach (NatKind nat in (NatKind[])
            [NatKind.None, NatKind.None, NatKind.None, NatKind.None, NatKind.PortRestricted, NatKind.FullCone, NatKind.Symmetric, NatKind.Symmetric, NatKind.SymmetricSequential,
             NatKind.UdpBlocked, NatKind.UdpBlocked, NatKind.AddressRestricted])
        {
            world.Add(nat, Policy).Node.NoticePolicy = new SimulatedNoticePolicy();
        }

        world.Run(TimeSpan.FromSeconds(30));
        SimulatedNode first = world.Nodes[1];
        first.Node.Publish(world.Now, SimulatedNoticePolicy.Sign(1, 1, new byte[2000]));
        foreach (SimulatedNode node in world.Nodes)
        {
            node.Node.Create(world.Now, new RecordKey(RecordKind.Address, $"10.128.0.{node.Index + 1}"), new byte[] { 0, 0, 0, 1, 0 }, (_, _) => { });
            node.Node.Trace(world.Now, world.Nodes[(node.Index + 5) % world.Nodes.Count].Identity.Address, (_, _) => { });
        }

        // Each clock is off by as many minutes as its node has a number.
        foreach (SimulatedNode node in world.Nodes)
        {
            node.Node.OwnTime = now => DateTimeOffset.UnixEpoch.AddYears(60) + now + TimeSpan.FromMinutes(node.Index);
        }

        world.Nodes.ForEach(node => node.Node.AskTime(world.Now, (_, _) => { }));
        Talk(world, 60);
        foreach (SimulatedNode node in world.Nodes)
        {
            node.Node.Lookup(world.Now, new RecordKey(RecordKind.Address, $"10.128.0.{node.Index + 2}"), (_, _) => { });
        }

        first.Node.Release(world.Now, new RecordKey(RecordKind.Address, "10.128.0.2"));
        world.AddCopy(world.Nodes[2], NatKind.PortRestricted, Policy);
        world.Run(TimeSpan.FromMinutes(2));
        world.IsParted = (one, two) => (one.Index < 4) != (two.Index < 4);
        world.Run(TimeSpan.FromMinutes(4));
        world.IsParted = null;
        world.Run(TimeSpan.FromMinutes(3));
        first.Node.Leave(world.Now);
        return run;
    }

    /// <summary>Four nodes agree on keys by TLS itself. Its random numbers are other ones in each run.</summary>
    public static CapturedRun OfHandshakes()
    {
        var run = new CapturedRun();
        List<IDisposable> owned = [];
        var world = new SimulatedNetwork(seed: 12)
        {
            HandshakesOf = identity =>
            {
                ECDsa key = identity.CreateKey();
                var provider = new OpenSslHandshakeProvider(key, default, null);
                owned.AddRange([provider, key]);
                return provider;
            },
            Wire = run.Note,
        };
        for (int i = 0; i < 4; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        world.Run(TimeSpan.FromSeconds(20));
        owned.ForEach(each => each.Dispose());
        return run;
    }

    /// <summary>Each sends packets of several lengths to each.</summary>
    private static void Talk(SimulatedNetwork world, int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            foreach (SimulatedNode from in world.Nodes)
            {
                SimulatedNode to = world.Nodes[(from.Index + 1 + (round % 11)) % world.Nodes.Count];
                from.Node.Send(world.Now, to.Identity.Address, new byte[40 + (round * 20)]);
            }

            world.Run(TimeSpan.FromMilliseconds(500));
        }
    }

    private bool Note(SimulatedNode from, Brunet.Addressing.TransportAddress to, byte[] datagram)
    {
        if (datagram[0] is not ((byte)FrameType.Data or (byte)FrameType.Esp))
        {
            _open.Add(datagram);
        }

        return true;
    }
}
