using Brunet.Dht;
using Testing.Simulation;

namespace Simulation.Worlds;

/// <summary>
/// Machines that stay, and others that come, talk, keep a record and go. Between guests nothing happens, so that time is left out: a guest comes
/// every few seconds, and what would take a week takes hours of virtual time.
/// </summary>
internal sealed class Guests
{
    /// <summary>How many are there at a time.</summary>
    private const int AtATime = 10;

    private const int NoticeEvery = 20;
    private const byte Kind = 1;

    private static readonly TimeSpan Step = TimeSpan.FromSeconds(6);
    private static readonly SmallerOwnerWins Policy = new();

    private static readonly NatKind[] Nats =
        [NatKind.None, NatKind.PortRestricted, NatKind.None, NatKind.FullCone, NatKind.Symmetric, NatKind.None, NatKind.PortRestricted, NatKind.UdpBlocked];

    private readonly SimulatedNetwork _world;
    private readonly Random _random;
    private ulong _notices;

    /// <summary>Switches those on that stay, one a second.</summary>
    /// <param name="world">An empty world.</param>
    /// <param name="random">Draws who talks with whom.</param>
    /// <param name="stayers">How many.</param>
    public Guests(SimulatedNetwork world, Random random, int stayers)
    {
        (_world, _random) = (world, random);
        for (int i = 0; i < stayers; i++)
        {
            Add();
            world.Run(TimeSpan.FromSeconds(1));
        }

        Stayers = [.. world.Nodes];
    }

    /// <summary>Those that stay.</summary>
    public IReadOnlyList<SimulatedNode> Stayers { get; }

    /// <summary>Guests come one after the other, talk with those who stay, publish a record, and go: every third says goodbye.</summary>
    public void Come(int count)
    {
        var present = new Queue<SimulatedNode>();
        for (int i = 0; i < count + AtATime; i++)
        {
            if (i < count)
            {
                present.Enqueue(Add());
            }

            _world.Run(Step);
            Talk(present);
            if (i >= AtATime)
            {
                Go(present.Dequeue(), saysGoodbye: i % 3 == 0);
            }

            if (i % NoticeEvery == 0 && !AnyStayer().Node.Publish(_world.Now, SimulatedNoticePolicy.Sign(Kind, ++_notices, new byte[3000])))
            {
                throw new Scenarios.ScenarioException("a notice was not taken");
            }
        }
    }

    private void Talk(Queue<SimulatedNode> present)
    {
        foreach (SimulatedNode guest in present)
        {
            SimulatedNode stayer = AnyStayer();
            guest.Node.Send(_world.Now, stayer.Identity.Address, [1]);
            stayer.Node.Send(_world.Now, guest.Identity.Address, [2]);
        }

        if (present.TryPeek(out SimulatedNode? oldest))
        {
            SimulatedNode asker = AnyStayer();
            var key = new RecordKey(RecordKind.Address, $"10.128.{oldest.Index >> 8}.{oldest.Index & 255}");
            oldest.Node.Create(_world.Now, key, new byte[] { 1 }, (_, _) => { });
            asker.Node.Lookup(_world.Now, key, (_, _) => { });
            asker.Node.Ping(_world.Now, oldest.Identity.Address, TimeSpan.FromSeconds(3), (_, _) => { });
            asker.Node.Trace(_world.Now, oldest.Identity.Address, (_, _) => { });
        }
    }

    private void Go(SimulatedNode guest, bool saysGoodbye)
    {
        if (saysGoodbye)
        {
            guest.Node.Leave(_world.Now);
        }

        guest.Kill();
    }

    private SimulatedNode AnyStayer() => Stayers[_random.Next(Stayers.Count)];

    private SimulatedNode Add()
    {
        SimulatedNode node = _world.Add(Nats[_world.Nodes.Count % Nats.Length], Policy);
        node.Node.NoticePolicy = new SimulatedNoticePolicy();
        return node;
    }
}
