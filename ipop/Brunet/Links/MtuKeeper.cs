using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// Probes what the paths in use carry in one piece, answers the probes of others, and says how long a packet to a peer may be. Only straight paths by
/// UDP that carry packets of the virtual network are probed; of all others the safe value is taken.
/// </summary>
internal sealed class MtuKeeper(LocalNode local, PeerTable peers, Agenda agenda, Transport transport) : IMessageTaker, ITimed, IPeerTimed
{
    /// <summary>Bytes of the headers of IPv4 and UDP, and of IPv6 and UDP.</summary>
    private const int IPv4Headers = 28, IPv6Headers = 48;

    /// <summary>Bytes that a data frame has beside the packet.</summary>
    private const int FrameOverhead = ProtocolConstants.FrameOverhead + 1;

    /// <summary>Probes that one look may send: sizes that the machine itself refuses cost nothing.</summary>
    private const int MostProbesAtOnce = 16;

    /// <summary>A path with a longer round trip is not worth jumbo frames: it leads through networks that have none.</summary>
    private static readonly TimeSpan Near = TimeSpan.FromMilliseconds(10);

    private readonly PerPeer<Kept> _kept = new(peers);

    private int Safe => local.Settings.SafePacket;

    private int Largest => local.Settings.LargestPacket;

    private bool IsOn => Largest > Safe;

    /// <summary>Hears of a change of how long packets to a peer may be; 0 when nothing is known any more, or nothing goes there.</summary>
    public Action<NodeAddress, int>? Changed { get; set; }

    /// <summary>Bytes of the longest packet of the virtual network that goes to a peer in one piece.</summary>
    public int Of(Peer peer) => peer.Best is { Mtu: { } mtu } path ? Math.Min(Largest, mtu.Size - Overhead(path)) : Safe;

    /// <summary>The same, but null while it is only assumed.</summary>
    public int? KnownOf(Peer peer) => peer.Best is { Mtu.IsKnown: true } ? Of(peer) : null;

    /// <summary>A packet of the virtual network is to go to a peer, which <see cref="LinkUse.OnTraffic"/> has heard of.</summary>
    public void OnSent(TimeSpan now, Peer peer, int packet)
    {
        if (peer.Best is { Way.IsUdp: true } path && IsOn)
        {
            path.Measure(Safe + Overhead(path), Largest + Overhead(path)).OnSent(now, packet + Overhead(path));
        }
    }

    /// <summary>Lets the time of those peers pass that are due.</summary>
    public void Tick(TimeSpan now)
    {
        foreach (Peer peer in agenda.Due)
        {
            Probe(now, peer);
            Announce(peer, Wanted(now, peer));
        }
    }

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        int announced = Announced(peer);
        if (announced != Wanted(now, peer))
        {
            return TimeSpan.Zero;
        }

        TimeSpan ended = announced > 0 ? peer.Use.BusyUntil : TimeSpan.MaxValue;
        TimeSpan probe = Probed(peer) is { Mtu: { } mtu } path ? mtu.Next(path.Pings.Timeout) : TimeSpan.MaxValue;
        return Earlier(ended, probe);
    }

    /// <summary>The peer is forgotten.</summary>
    public void Forget(Peer peer) => Announce(peer, 0);

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(MessageType.MtuProbe, (in incoming, message) => OnProbe(incoming.Now, incoming.Peer, incoming.Arrival, message));
        messages.On(MessageType.MtuAnswer, (in incoming, message) => OnAnswer(incoming.Now, incoming.Peer, message));
    }

    /// <summary>The peer asks whether something of that length arrives.</summary>
    public void OnProbe(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (arrival.IsUdp && MtuProbeMessage.TryRead(message, out ulong token))
        {
            Span<byte> answer = stackalloc byte[MtuAnswerMessage.Size];
            MtuAnswerMessage.Write(answer, token);
            transport.Answer(now, peer, answer, arrival);
        }
    }

    /// <summary>A probe arrived there.</summary>
    public void OnAnswer(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (!MtuAnswerMessage.TryRead(message, out ulong token))
        {
            return;
        }

        foreach (Path path in peer.Paths)
        {
            if (path.Mtu?.OnAnswer(now, token) == true)
            {
                Probe(now, peer);
                return;
            }
        }
    }

    private static int Overhead(Path path) => FrameOverhead + (path.Way.Endpoint.IsIPv4 ? IPv4Headers : IPv6Headers);

    private static Path? Probed(Peer peer) =>
        peer is { HasSession: true, Best: { IsAlive: true, RoundTrip: not null, Mtu: not null } best } ? best : null;

    private int Wanted(TimeSpan now, Peer peer) => peer.Use.IsBusy(now) && peer.PartedAt is null ? KnownOf(peer) ?? 0 : 0;

    private int Announced(Peer peer) => _kept.Find(peer)?.Announced ?? 0;

    private void Announce(Peer peer, int mtu)
    {
        if (Announced(peer) != mtu)
        {
            _kept.Of(peer).Announced = mtu;
            Changed?.Invoke(peer.Address, mtu);
        }
    }

    private void Probe(TimeSpan now, Peer peer)
    {
        if (Probed(peer) is not { Mtu: { } mtu } path)
        {
            return;
        }

        bool isGood = (path.RoundTrip < Near || mtu.Shortest < Near) && path.Pings.Loss(now) is null or 0;
        for (int count = 0; count < MostProbesAtOnce; count++)
        {
            if (mtu.WantsHint)
            {
                mtu.TakeHint(local.Output.MtuHint(path.Way.Endpoint));
            }

            if (!mtu.TryProbe(now, path.Pings.Timeout, isGood, out int size, out bool withSmall))
            {
                return;
            }

            if (!Send(now, peer, path, mtu, size))
            {
                mtu.OnRefused(now, size);
            }
            else if (withSmall)
            {
                foreach (int beside in mtu.Beside())
                {
                    Send(now, peer, path, mtu, beside);
                }

                Send(now, peer, path, mtu, Overhead(path) - 1 + MtuProbeMessage.SmallestSize);
            }
        }
    }

    /// <summary>Sends a probe that becomes an IP packet of this size; false if it can't leave this machine in one piece.</summary>
    private bool Send(TimeSpan now, Peer peer, Path path, PathMtu mtu, int size)
    {
        Session session = peer.Current!;
        byte[] plain = FrameBuffers.Take(), frame = FrameBuffers.Take();
        try
        {
            Span<byte> message = plain.AsSpan(0, size - Overhead(path) + 1);
            ulong token = (ulong)local.Random.NextInt64(long.MinValue, long.MaxValue);
            MtuProbeMessage.Write(message, token);
            int length = session.Keys?.Seal(session.RemoteIndex, message, frame) ?? 0;
            if (length == 0)
            {
                return true;
            }

            mtu.OnProbed(now, token, size);
            bool left = local.Output.SendWhole(path.Way.Socket, path.Way.Endpoint, frame.AsSpan(0, length));
            peer.SentBytes += left ? length : 0;
            return left;
        }
        finally
        {
            FrameBuffers.Return(frame);
            FrameBuffers.Return(plain);
        }
    }

    private sealed class Kept
    {
        /// <summary>How long packets to the peer may be, as the virtual network was last told; 0 if it was not.</summary>
        public int Announced { get; set; }
    }
}
