namespace Ipop.Clock;

/// <summary>What the clock follows.</summary>
public enum ClockSource
{
    /// <summary>Nothing: nobody says what time it is, so the machine's own clock is believed.</summary>
    Nothing,

    /// <summary>A program that speaks NTP keeps the clock, as the kernel says; it is left alone.</summary>
    Ntp,

    /// <summary>The hypervisor's clock, which goes on while the machine sleeps.</summary>
    Hypervisor,

    /// <summary>The time server that the configuration names.</summary>
    Server,

    /// <summary>The median of what peers said.</summary>
    Peers,

    /// <summary>What the CA signed last: it is later than that.</summary>
    Signature,
}
