using System.Numerics;
using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Nat;

/// <summary>Finds out how a NAT chooses ports, from what peers saw.</summary>
internal static class NatInference
{
    /// <summary>
    /// Two ports that were drawn evenly from 64,512 are so near to each other with a chance of 0.2 %, so they follow a counter. So are three and more that lie
    /// within <see cref="NearEnoughOfMany"/> a port; the node's own searches lie between, and other machines' connections.
    /// </summary>
    private const int NearEnoughOfTwo = 64, NearEnoughOfMany = 700;

    private const int MaxStep = 64;

    /// <summary>
    /// Peers that see one port where others see others. A NAT that draws a port for each destination draws one twice sooner or later, for two of ten destinations once
    /// in 1,400 times, and the node would never search again; three times it does not.
    /// </summary>
    private const int Enough = 3;

    /// <summary>What the ports tell that one outside host showed to peers at different endpoints; null if that is too little.</summary>
    /// <param name="seen">Where each peer is, and which port it saw.</param>
    /// <param name="own">The node's endpoints on its own machine; a NAT that keeps ports shows theirs.</param>
    public static NatProfile? Of(List<(TransportAddress At, ushort Port)> seen, IReadOnlyList<TransportAddress> own)
    {
        bool isOneHost = true;
        bool isOnePort = true;
        (int lowest, int highest) = (int.MaxValue, 0);
        foreach ((TransportAddress at, ushort port) in seen)
        {
            isOneHost &= at with { Port = 0 } == seen[0].At with { Port = 0 };
            isOnePort &= port == seen[0].Port;
            lowest = Math.Min(lowest, port);
            highest = Math.Max(highest, port);
        }

        if (isOnePort)
        {
            return isOneHost ? null : new NatProfile(NatMapping.Independent, 0);
        }

        if (IsAgreed(seen, own))
        {
            return new NatProfile(NatMapping.Independent, 0);
        }

        bool isCounter = highest - lowest <= (seen.Count == 2 ? NearEnoughOfTwo : NearEnoughOfMany * (seen.Count - 1));
        return new NatProfile(NatMapping.Dependent, isCounter ? LargestStep(seen, lowest) : (byte)0);
    }

    /// <summary>
    /// Whether peers at several hosts saw one port, a quarter of all at least, and it is the machine's own or <see cref="Enough"/> saw it. A gateway before a peer that
    /// leads a port to it may show the peer another port than ours, where both ends spoke at the same time; no NAT that draws a port for each destination draws one so
    /// often.
    /// </summary>
    private static bool IsAgreed(List<(TransportAddress At, ushort Port)> seen, IReadOnlyList<TransportAddress> own)
    {
        foreach ((TransportAddress first, ushort port) in seen)
        {
            bool isElsewhere = false;
            int count = 0;
            foreach ((TransportAddress at, ushort other) in seen)
            {
                count += other == port ? 1 : 0;
                isElsewhere |= other == port && at with { Port = 0 } != first with { Port = 0 };
            }

            if (isElsewhere && 4 * count >= seen.Count && (count >= Enough || own.Any(one => one.Port == port)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The largest step that leads from each of them to each other, <see cref="MaxStep"/> at most: the NAT's own, or a multiple of it if it is not held.</summary>
    private static byte LargestStep(List<(TransportAddress At, ushort Port)> seen, int lowest)
    {
        int step = 0;
        foreach ((_, ushort port) in seen)
        {
            step = (int)BigInteger.GreatestCommonDivisor(step, port - lowest);
        }

        return (byte)Math.Min(step, MaxStep);
    }
}
