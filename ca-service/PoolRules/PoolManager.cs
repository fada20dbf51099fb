namespace PoolRules;

/// <summary>One of a pool's managers.</summary>
/// <param name="Host">Its host name, one label: how HTCondor and its certificate call it.</param>
/// <param name="Address">Its virtual address.</param>
/// <param name="ServesAuthority">Whether the pool's CA is there.</param>
public sealed record PoolManager(string Host, IPv4Address Address, bool ServesAuthority);
