using Brunet.Dht;
using Fuzz.Targets;
using Ipop;
using Ipop.Addresses;
using Ipop.Router;
using Testing.Overlay;

namespace Fuzz.Worlds;

/// <summary>One machine of the pool: a virtual network over a DHT in memory, and a tap that counts.</summary>
internal sealed class Guest
{
    private const int MostTicks = 60;
    private const int MostHosts = 3;

    private static readonly VirtualNetworkOptions Options = new() { Pool = "demo", Subnet = PacketSamples.Subnet, TapMac = PacketSamples.TapMac };

    /// <summary>A LAN of three at most, of which one, who has the samples' addresses, was there in the last run.</summary>
    private static readonly VirtualNetworkOptions Lan = Options with
    {
        IsOpen = true,
        TapMac = new MacAddress(0x02_00_00_00_00_55),
        Router = new RouterOptions { Hosts = MostHosts, HasRelays = true, Known = [new KnownHost(PacketSamples.TapMac, PacketSamples.Local)] },
    };

    private static readonly string LanName = NameOfClaimable();

    private readonly FakeTap _tap = new() { KeepsFrames = false };
    private readonly FakeOverlay _overlay;

    /// <summary>Makes it.</summary>
    /// <param name="isBound">Whether it has its address already; else it is at the very start.</param>
    public Guest(bool isBound)
    {
        var dht = new FakeDht(new RecordPolicy(Options.Subnet, Options.IsOpen));
        var remote = Peers.Certified("x", PacketSamples.Remote.ToString());
        dht.Put(new DhtRecord(AddressValue.Key(PacketSamples.Remote), AddressValue.ForAddress(AddressValue.NoIndex), remote, 1));
        var local = Peers.Certified("member", PacketSamples.Local.ToString());
        _overlay = new FakeOverlay(dht, local) { KeepsPackets = false };
        Network = new VirtualNetwork(Options, _overlay, local.Certificate, _tap, Now);
        if (isBound)
        {
            foreach (Sample message in PacketSamples.DhcpMessages().Take(2))
            {
                Network.FrameFromTap(Now, PacketSamples.Frame(0x0800, PacketSamples.Udp(default, 68, IPv4Address.Broadcast, 67, message.Bytes)));
            }

            Pass();
            Oracle.That(Network.Address == PacketSamples.Local, "a certified guest gets its address");
        }
    }

    /// <summary>Makes the LAN behind a router.</summary>
    public Guest()
    {
        var dht = new FakeDht(new RecordPolicy(Lan.Subnet, Lan.IsOpen));
        dht.Put(new DhtRecord(
            AddressValue.Key(PacketSamples.Remote), AddressValue.ForAddress(AddressValue.NoIndex), Peers.Certified("x", PacketSamples.Remote.ToString()), 1));
        _overlay = new FakeOverlay(dht, Peers.Bare(LanName)) { KeepsPackets = false };
        Network = new VirtualNetwork(Lan, _overlay, null, _tap, Now);
        Pass();
        Oracle.That(Network.HostCount == 1, "a host of the last run has its address again");
    }

    /// <summary>The present.</summary>
    public TimeSpan Now { get; private set; } = TimeSpan.FromSeconds(100);

    /// <summary>What is tested.</summary>
    public VirtualNetwork Network { get; }

    /// <summary>The owner of the samples' other address answers nothing any more, while others are heard.</summary>
    public void LoseRemote()
    {
        Network.GoneChanged = (address, _) => Oracle.That(address == PacketSamples.Remote, "nobody else is gone");
        _overlay.Unreachable.Add(Peers.Certified("x", PacketSamples.Remote.ToString()).Address);
    }

    /// <summary>Lets half a second pass, from tick to tick.</summary>
    public void Pass()
    {
        TimeSpan end = Now + TimeSpan.FromMilliseconds(500);
        for (int ticks = 0; Network.NextTick <= end; ticks++)
        {
            Oracle.That(ticks < MostTicks, "the network does not ask for ticks without end");
            Now = Network.NextTick > Now ? Network.NextTick : Now;
            Network.Tick(Now);
        }

        Network.EndRound();
        Now = end;
    }

    /// <summary>What became of it, as a number.</summary>
    public int Outcome()
    {
        int outcome = (int)Network.State + (10 * (int)Math.Min(_tap.FrameCount, 40)) + (500 * (int)Math.Min(_overlay.SentCount, 20));
        Oracle.That(Network.HostCount is null or <= MostHosts, "no more hosts than there may be");
        foreach (DropReason reason in Enum.GetValues<DropReason>())
        {
            outcome = (outcome * 5) + (int)Math.Min(Network.Drops[reason], 4);
        }

        return outcome;
    }

    private static string NameOfClaimable()
    {
        for (int number = 0; ; number++)
        {
            if (ClaimableAddresses.TryFind(PacketSamples.Subnet, Peers.Bare($"lan{number}").Address, PacketSamples.Local, out _))
            {
                return $"lan{number}";
            }
        }
    }
}
