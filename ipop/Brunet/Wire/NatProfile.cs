namespace Brunet.Wire;

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
}
