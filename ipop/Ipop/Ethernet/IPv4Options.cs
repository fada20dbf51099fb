namespace Ipop.Ethernet;

/// <summary>What is to say of the options of an IPv4 header (RFC 791 section 3.1).</summary>
internal enum IPv4Options
{
    /// <summary>None, or such as do not change the packet's way.</summary>
    Harmless,

    /// <summary>
    /// A source route, loose or strict: it would make a machine hand the packet on to others, behind the back of whoever looked at
    /// its destination (RFC 7126 section 4.3).
    /// </summary>
    SourceRoute,

    /// <summary>They reach beyond the header.</summary>
    Malformed,
}
