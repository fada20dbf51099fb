namespace Ipop.Dns;

/// <summary>What is known of a name.</summary>
internal enum NameStatus
{
    /// <summary>It has an address.</summary>
    Found,

    /// <summary>Nobody has it.</summary>
    NotFound,

    /// <summary>The DHT did not answer.</summary>
    Unknown,
}

/// <summary>The answer to a name.</summary>
/// <param name="Status">What is known.</param>
/// <param name="Address">The address if it was found, else null.</param>
internal readonly record struct NameAnswer(NameStatus Status, IPv4Address? Address);
