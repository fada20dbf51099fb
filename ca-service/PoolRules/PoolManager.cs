namespace PoolRules;

/// <summary>One of a pool's managers.</summary>
/// <param name="Host">Its host name, one label: how HTCondor and its certificate call it.</param>
/// <param name="Address">Its virtual address.</param>
/// <param name="ServesAuthority">Whether the pool's CA is there.</param>
public sealed record PoolManager(string Host, IPv4Address Address, bool ServesAuthority)
{
    /// <summary>Whether a certificate that says this is this manager's: the CA signs the role for nobody who comes with a ticket.</summary>
    /// <param name="host">The certificate's host name.</param>
    /// <param name="address">Its address.</param>
    /// <param name="isManager">Whether its role is that of a manager.</param>
    public bool IsHolder(string host, IPv4Address address, bool isManager) =>
        isManager && address == Address && string.Equals(host, Host, StringComparison.OrdinalIgnoreCase);
}
