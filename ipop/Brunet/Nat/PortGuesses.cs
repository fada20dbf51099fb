using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Nat;

/// <summary>
/// The side with the easy NAT: sends pings to ports of the peer's one outside address, first to those that follow the last one seen, if
/// the peer's NAT counts, then to others by chance, none twice. The first that gets through is answered from the socket it reached.
/// </summary>
internal sealed class PortGuesses(LocalNode local, PathKeeper paths, Peer peer, TransportAddress last, bool counts)
{
    /// <summary>Guesses in one try.</summary>
    private const int Most = 1024;

    /// <summary>Guesses right after the last port seen.</summary>
    private const int Following = 256;

    private const int FirstPort = 1024;
    private const int Ports = 65536 - FirstPort;

    private readonly int _start = local.Random.Next(Ports);
    private readonly int _stride = Stride(local.Random);
    private int _sent;

    public Peer Peer => peer;

    /// <summary>Pings that went out.</summary>
    public int Sent => _sent;

    /// <summary>Goes on; false if this is over.</summary>
    public bool Tick(TimeSpan now, ProbeBudget budget)
    {
        while (_sent < Most && budget.Take())
        {
            paths.Probe(now, peer, Arrival.Direct(last with { Port = Guess(_sent++) }));
        }

        return _sent < Most && !peer.IsStraight;
    }

    /// <summary>The endpoint so many ports after another one, as a NAT counts that comes back to the first after the last.</summary>
    public static TransportAddress After(TransportAddress last, int ports) =>
        last with { Port = (ushort)(FirstPort + ((last.Port - FirstPort + ports + Ports) % Ports)) };

    private ushort Guess(int number) => counts && number < Following
        ? After(last, number + 1).Port
        : (ushort)(FirstPort + ((_start + ((long)number * _stride)) % Ports));

    /// <summary>A step that comes by every port before it comes back to the first: prime to 64,512 = 2^10 * 3^2 * 7.</summary>
    private static int Stride(Random random)
    {
        while (true)
        {
            int stride = random.Next(1, Ports);
            if (stride % 2 != 0 && stride % 3 != 0 && stride % 7 != 0)
            {
                return stride;
            }
        }
    }
}
