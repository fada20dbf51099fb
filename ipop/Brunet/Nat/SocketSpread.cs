using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Nat;

/// <summary>
/// The side with the hard NAT: opens many sockets, each of which makes the NAT open one more port towards the peer. Then the peer is
/// told to guess: with 256 of 64,512 ports open, 1,024 guesses hit with 98 % (the birthday problem).
/// </summary>
internal sealed class SocketSpread(LocalNode local, PathKeeper paths, Puncher puncher, Peer peer, TransportAddress target, int count, TimeSpan now, bool tells)
{
    /// <summary>Sockets for a NAT that draws its ports.</summary>
    public const int Many = 256;

    /// <summary>Sockets for a NAT that counts: the peer knows about where to look.</summary>
    public const int Few = 32;

    /// <summary>Sockets where both NATs count: each side may have counted on by one less than so many.</summary>
    public const int Both = 128;

    /// <summary>Sockets towards a peer behind the same NAT: its port is known, and only ours need be another.</summary>
    public const int One = 1;

    /// <summary>
    /// What the peer needs for its guesses at the budget's pace (2.05 s), a round trip and something to spare. A machine under load is not
    /// given more than the budget's longest tick at a time, so neither is this: a try ends when its guesses can be out, not by the clock.
    /// </summary>
    private static readonly TimeSpan Guessing = TimeSpan.FromSeconds(2.8);

    /// <summary>However slow the machine is.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    [Bounded(nameof(Many))]
    private readonly List<int> _sockets = new(count);

    private readonly TimeSpan _end = now + Longest;
    private TimeSpan _last = now;
    private TimeSpan _waited;
    private bool _isTold;

    public Peer Peer => peer;

    /// <summary>The sockets that were opened; whoever ends this closes those that led nowhere.</summary>
    public IReadOnlyList<int> Sockets => _sockets;

    /// <summary>Goes on; false if this is over.</summary>
    public bool Tick(TimeSpan now, ProbeBudget budget)
    {
        while (_sockets.Count < count && budget.Take())
        {
            int socket = local.Output.OpenSocket();
            if (socket == 0)
            {
                count = _sockets.Count;
                break;
            }

            _sockets.Add(socket);
            paths.Probe(now, peer, Arrival.Direct(target, socket));
        }

        if (!_isTold && _sockets.Count == count && count > 0)
        {
            _isTold = true;
            if (tells)
            {
                puncher.TellSpread(now, peer);
            }
        }
        else if (_isTold)
        {
            _waited += now - _last < ProbeBudget.LongestTick ? now - _last : ProbeBudget.LongestTick;
        }

        _last = now;
        return now < _end && _waited < Guessing && count > 0 && !peer.IsStraight;
    }
}
