using System.Numerics;
using Brunet.Addressing;

namespace Brunet.Nat;

/// <summary>How a node's NAT chooses outside ports (RFC 4787 section 4.1).</summary>
public enum NatMapping
{
    /// <summary>Too few peers saw us to tell.</summary>
    Unknown,

    /// <summary>There is none: peers see the machine's own address.</summary>
    None,

    /// <summary>One outside port for all destinations: who knows it can be let in.</summary>
    Independent,

    /// <summary>Another port for another destination ("symmetric"): nobody can know it before it is used.</summary>
    Dependent,
}

/// <summary>What a node found out about its own NAT from what its peers saw.</summary>
/// <param name="Mapping">How it chooses ports.</param>
/// <param name="Step">From one chosen port to the next, if they follow each other; 0 if they do not, or that is not known.</param>
public readonly record struct NatProfile(NatMapping Mapping, byte Step)
{
    /// <summary>
    /// Two ports that were drawn evenly from 64,512 are so near to each other with a chance of 0.2 %, so they follow a counter. So are three and more that lie
    /// within <see cref="NearEnoughOfMany"/> a port; the node's own searches lie between, and other machines' connections.
    /// </summary>
    private const int NearEnoughOfTwo = 64, NearEnoughOfMany = 700;

    private const int MaxStep = 64;

    /// <summary>In words for people.</summary>
    public override string ToString() => Mapping switch
    {
        NatMapping.None => "none",
        NatMapping.Independent => "one port for all",
        NatMapping.Dependent => Step > 0 ? $"a port for each destination, {Step} apart" : "a port for each destination, by chance",
        _ => "not known",
    };

    /// <summary>What a peer said; a mapping that we do not know is an unknown one.</summary>
    internal static NatProfile FromWire(byte mapping, byte step) =>
        mapping <= (byte)NatMapping.Dependent ? new NatProfile((NatMapping)mapping, step) : default;

    /// <summary>What the ports tell that one outside host showed to peers at different endpoints; null if that is too little.</summary>
    internal static NatProfile? Of(List<(TransportAddress At, ushort Port)> seen)
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

        if (IsAgreed(seen))
        {
            return new NatProfile(NatMapping.Independent, 0);
        }

        bool isCounter = highest - lowest <= (seen.Count == 2 ? NearEnoughOfTwo : NearEnoughOfMany * (seen.Count - 1));
        return new NatProfile(NatMapping.Dependent, isCounter ? LargestStep(seen, lowest) : (byte)0);
    }

    /// <summary>
    /// Whether peers at several hosts saw one port, a quarter of all at least. A gateway before a peer that leads a port to it may show the peer
    /// another port than ours, where both ends spoke at the same time; no NAT that draws a port for each destination draws one so often.
    /// </summary>
    private static bool IsAgreed(List<(TransportAddress At, ushort Port)> seen)
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

            if (isElsewhere && 4 * count >= seen.Count)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The largest step that leads from each of them to each other: the NAT's own, or a multiple of it.</summary>
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
