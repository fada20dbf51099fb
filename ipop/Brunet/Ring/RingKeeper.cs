using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// Keeps the node linked to its nearest members on both sides. Neighbours tell each other whom they know near by, and from time to
/// time the node asks the ring who stands nearest to it. That question begins at a random link and every node on its way answers, so a
/// group of nodes that knows only itself finds the others.
/// </summary>
internal sealed class RingKeeper(NodeCore core)
{
    /// <summary>Near neighbours a side.</summary>
    public const int NearPerSide = 2;

    /// <summary>Neighbours a side that are told to others.</summary>
    private const int KnownPerSide = 4;

    /// <summary>Random links that a question to the ring begins at.</summary>
    private const int FindsAtOnce = 3;

    private static readonly TimeSpan GossipInterval = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan MinGossipInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan FindInterval = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan LonelyFindInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan WaitingInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan HearsayKept = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan SilentAfter = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan SilentKept = TimeSpan.FromSeconds(20);

    /// <summary>Most nodes whose word counts at a time.</summary>
    private const int MaxWitnesses = 64;

    /// <summary>The last word of each witness; each is believed for itself, so that a liar can't hide what the others say.</summary>
    private readonly Dictionary<NodeAddress, Hearsay> _hearsay = [];

    /// <summary>Nodes that did not answer, and until when others are tried in their place.</summary>
    private readonly Dictionary<NodeAddress, TimeSpan> _silent = [];
    private readonly List<NodeAddress> _scratch = [];
    private List<NodeAddress> _near = [];
    private bool _touched = true;
    private TimeSpan _nextGossip;
    private TimeSpan _lastGossip;
    private TimeSpan _nextFind;
    private uint _findToken;

    /// <summary>Changes whenever a link came or went.</summary>
    public int Version { get; private set; }

    /// <summary>Number of members with a link.</summary>
    public int MemberLinks { get; private set; }

    /// <summary>Number of near neighbours with a link.</summary>
    public int NearLinks => _near.Count;

    /// <summary>Whether something changed and the next tick shall come soon.</summary>
    public bool IsBusy => _touched;

    /// <summary>A link came or went.</summary>
    public void Touch()
    {
        _touched = true;
        Version++;
    }

    public void Tick(TimeSpan now)
    {
        bool gossip = now >= _nextGossip || (_touched && now - _lastGossip >= MinGossipInterval);
        if (!gossip)
        {
            return;
        }

        _touched = false;
        _lastGossip = now;
        _nextGossip = now + GossipInterval;
        Expire(now);
        List<NodeAddress> linked = LinkedMembers();
        MemberLinks = linked.Count;
        List<NodeAddress> near = Nearest(core.Self, linked, NearPerSide);
        if (_near.Exists(address => !near.Contains(address)))
        {
            _nextFind = now;
        }

        _near = near;
        if (ConnectNear(now, linked))
        {
            _nextGossip = now + WaitingInterval;
        }

        SendNeighbours(now, linked, near);
        if (now >= _nextFind && linked.Count > 0)
        {
            _nextFind = now + (NearLinks < 2 * NearPerSide ? LonelyFindInterval : FindInterval);
            SendFind(now);
        }
    }

    public void OnNeighbours(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        _scratch.Clear();
        if (core.IsEntitled(from) && AddressList.TryReadNeighbours(message, _scratch))
        {
            Hear(now, from.Address, default, _scratch);
        }
    }

    public void OnFind(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        var reader = new ByteReader(body);
        uint token = reader.UInt32();
        if (!reader.IsComplete)
        {
            return;
        }

        List<NodeAddress> known = LinkedMembers();
        known.Remove(header.Source);
        Span<byte> answer = stackalloc byte[AddressList.MaxSize];
        int length = AddressList.WriteFound(
            answer, token, CollectionsMarshal.AsSpan(Nearest(header.Source, known, KnownPerSide)));
        core.Router.Originate(now, exact: true, RoutedType.Found, header.Source, header.SourceVia, answer[..length]);
    }

    public void OnFound(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        _scratch.Clear();
        if (AddressList.TryReadFound(body, out uint token, _scratch) && token == _findToken)
        {
            Hear(now, header.Source, header.SourceVia, _scratch);
        }
    }

    /// <summary>The nearest of <paramref name="addresses"/> on both sides of a position, without doubles.</summary>
    private static List<NodeAddress> Nearest(NodeAddress position, List<NodeAddress> addresses, int perSide)
    {
        var result = new List<NodeAddress>(2 * perSide);
        addresses.Sort((a, b) => position.ClockwiseTo(a).CompareTo(position.ClockwiseTo(b)));
        int after = Math.Min(addresses.Count, perSide);
        for (int i = 0; i < after; i++)
        {
            result.Add(addresses[i]);
        }

        for (int i = addresses.Count - 1; i >= after && addresses.Count - i <= perSide; i--)
        {
            result.Add(addresses[i]);
        }

        return result;
    }

    private void Hear(TimeSpan now, NodeAddress witness, NodeAddress witnessVia, List<NodeAddress> addresses)
    {
        if (_hearsay.Count >= MaxWitnesses && !_hearsay.ContainsKey(witness))
        {
            return;
        }

        foreach (NodeAddress address in addresses)
        {
            _touched |= address != core.Self && !IsHeard(address);
        }

        _touched |= !IsHeard(witness);
        _hearsay[witness] = new Hearsay(witnessVia, [.. addresses], now);
    }

    private bool IsHeard(NodeAddress address)
    {
        foreach ((NodeAddress witness, Hearsay hearsay) in _hearsay)
        {
            if (witness == address || hearsay.Addresses.Contains(address))
            {
                return true;
            }
        }

        return false;
    }

    private void Expire(TimeSpan now)
    {
        foreach ((NodeAddress witness, Hearsay hearsay) in _hearsay)
        {
            if (now - hearsay.Heard > HearsayKept)
            {
                _hearsay.Remove(witness);
            }
        }

        foreach ((NodeAddress address, TimeSpan until) in _silent)
        {
            if (now > until)
            {
                _silent.Remove(address);
            }
        }
    }

    private List<NodeAddress> LinkedMembers()
    {
        var result = new List<NodeAddress>();
        foreach (Peer peer in core.Peers.Values)
        {
            if (core.IsMemberPeer(peer))
            {
                result.Add(peer.Address);
            }
        }

        return result;
    }

    /// <summary>Begins to connect to whoever is said to stand nearer than our links; true if one of them has yet to answer.</summary>
    private bool ConnectNear(TimeSpan now, List<NodeAddress> linked)
    {
        bool waiting = false;
        foreach ((NodeAddress witness, Hearsay hearsay) in _hearsay)
        {
            var all = new List<NodeAddress>(linked);
            foreach (NodeAddress address in hearsay.Addresses)
            {
                Consider(address, all);
            }

            Consider(witness, all);
            foreach (NodeAddress address in Nearest(core.Self, all, NearPerSide))
            {
                if (!linked.Contains(address))
                {
                    waiting |= Connect(now, address, address == witness ? hearsay.WitnessVia : witness);
                }
            }
        }

        return waiting;
    }

    private void Consider(NodeAddress address, List<NodeAddress> all)
    {
        if (address != core.Self && address != default && !all.Contains(address) && !_silent.ContainsKey(address))
        {
            all.Add(address);
        }
    }

    private bool Connect(TimeSpan now, NodeAddress address, NodeAddress via)
    {
        if (core.Peers.TryGetValue(address, out Peer? known) && known.Current is not null)
        {
            return false;
        }

        Peer peer = core.Handshaker.Connect(now, address, via);
        if (peer.Pending is null or { RemoteIndex: 0 } && now - (peer.Pending?.StartedAt ?? peer.CreatedAt) > SilentAfter)
        {
            _silent[address] = now + SilentKept;
        }

        return true;
    }

    private void SendNeighbours(TimeSpan now, List<NodeAddress> linked, List<NodeAddress> near)
    {
        if (near.Count == 0)
        {
            return;
        }

        Span<byte> message = stackalloc byte[AddressList.MaxSize];
        foreach (NodeAddress address in near)
        {
            // What matters to a neighbour are those near to it, not to us.
            List<NodeAddress> told = [.. linked];
            told.Remove(address);
            int length = AddressList.WriteNeighbours(message, CollectionsMarshal.AsSpan(Nearest(address, told, KnownPerSide)));
            core.Transport.SendMessage(now, core.Peers[address], message[..length]);
        }
    }

    private void SendFind(TimeSpan now)
    {
        _findToken = (uint)core.Random.Next();
        Span<byte> body = stackalloc byte[4];
        new ByteWriter(body).UInt32(_findToken);
        List<NodeAddress> linked = LinkedMembers();
        for (int i = 0; i < FindsAtOnce && linked.Count > 0; i++)
        {
            int chosen = core.Random.Next(linked.Count);
            core.Router.Originate(now, exact: false, RoutedType.Find, core.Self, linked[chosen], body);
            linked.RemoveAt(chosen);
        }
    }

    /// <summary>What a node said: whom it has links to, and by whom it is reached itself.</summary>
    private sealed record Hearsay(NodeAddress WitnessVia, List<NodeAddress> Addresses, TimeSpan Heard);
}
