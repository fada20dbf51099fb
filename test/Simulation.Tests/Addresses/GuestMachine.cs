using Brunet.Sessions;
using Ipop;
using Ipop.Offload;
using Testing.Simulation;

namespace Simulation.Tests.Addresses;

/// <summary>A node of the simulated world with the product's virtual network on it, and a guest with a DHCP client (RFC 2131 section 4.4).</summary>
internal sealed class GuestMachine : ITapOutput
{
    /// <summary>A network that wants more ticks at one moment spins.</summary>
    private const int MostTicks = 16;

    private static readonly TimeSpan AskAgain = TimeSpan.FromSeconds(4), CarrierBack = TimeSpan.FromSeconds(1), RenewAgain = TimeSpan.FromSeconds(60);

    private readonly VirtualNetworkOptions _options;
    private readonly Queue<byte[]> _frames = [];
    private readonly TimeSpan _lease;
    private TimeSpan _now, _askAt, _endsAt;

    public GuestMachine(SimulatedNode node, VirtualNetworkOptions options, TimeSpan now)
    {
        (Node, _options, _now, _askAt, _lease) = (node, options, now, now, TimeSpan.FromSeconds(options.LeaseSeconds));
        Network = new VirtualNetwork(options, node.Node, node.Identity.Certificate, this, now);
    }

    public SimulatedNode Node { get; }

    public VirtualNetwork Network { get; }

    /// <summary>What the guest's interface has.</summary>
    public IPv4Address? Address { get; private set; }

    /// <summary>How often the guest was made to ask anew.</summary>
    public int Bounces { get; private set; }

    /// <summary>Whether the guest has what its daemon holds for it.</summary>
    public bool IsSettled => Address is not null && Address == Network.Address;

    /// <summary>Lets the daemon and its guest do what is due.</summary>
    public void Step(TimeSpan now)
    {
        _now = now;
        for (int ticks = 0; Network.NextTick <= now; ticks++)
        {
            Assert.True(ticks < MostTicks, $"machine {Node.Index} wants ticks without end");
            Network.Tick(now);
        }

        while (_frames.TryDequeue(out byte[]? frame))
        {
            if (GuestDhcp.TryRead(frame, out byte type, out IPv4Address assigned))
            {
                Hear(type, assigned);
            }
        }

        if (now >= _askAt)
        {
            Ask();
        }

        // The world looks whether the node wants something now.
        _ = Node.Node;
    }

    /// <summary>The node gets a certificate, as by a reload of the daemon's.</summary>
    public void Certify(MemberCertificate certificate)
    {
        Node.Identity.Certificate = certificate;
        Node.Node.IdentityChanged(_now);
        Network.CertificateChanged(_now, certificate);
    }

    /// <summary>The guest wants no address any more.</summary>
    public void Release()
    {
        Send(GuestDhcp.Release, client: Address);
        (Address, _askAt) = (null, TimeSpan.MaxValue);
    }

    public void WriteFrame(ReadOnlySpan<byte> frame) => _frames.Enqueue(frame.ToArray());

    public void WriteFrame(ReadOnlySpan<byte> frame, FrameOffload offload) => WriteFrame(frame);

    public void BounceCarrier()
    {
        Bounces++;
        (Address, _askAt) = (null, _now + CarrierBack);
    }

    public void AddressChanged(IPv4Address? address)
    {
        // The guest hears of it by DHCP alone.
    }

    private void Hear(byte type, IPv4Address assigned)
    {
        switch (type)
        {
            case GuestDhcp.Offer when Address is null:
                Send(GuestDhcp.Request, requested: assigned);
                _askAt = _now + AskAgain;
                break;
            case GuestDhcp.Ack:
                (Address, _askAt, _endsAt) = (assigned, _now + (_lease / 2), _now + _lease);
                break;
            case GuestDhcp.Nak:
                (Address, _askAt) = (null, _now);
                break;
            default:
                break;
        }
    }

    private void Ask()
    {
        if (Address is null || _now >= _endsAt)
        {
            Address = null;
            Send(GuestDhcp.Discover);
            _askAt = _now + AskAgain;
        }
        else
        {
            Send(GuestDhcp.Request, client: Address);
            _askAt = _now + RenewAgain;
        }
    }

    private void Send(byte type, IPv4Address? client = null, IPv4Address? requested = null) =>
        Network.FrameFromTap(_now, GuestDhcp.Frame(_options.TapMac, _options.Subnet.Gateway, type, client, requested));
}
