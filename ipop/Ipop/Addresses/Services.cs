namespace Ipop.Addresses;

/// <summary>
/// Which of the pool's services this node is: what the CA's list of managers says, so that no two claim one name. While no list is known a manager is all
/// of them, as in a pool that has one manager.
/// </summary>
/// <param name="isManager">Whether this node is a manager.</param>
/// <param name="isOpen">Whether the pool has no CA.</param>
/// <param name="local">Its address, or null.</param>
internal sealed class Services(Func<bool> isManager, bool isOpen, Func<IPv4Address?> local)
{
    /// <summary>The newest list; null while none is known.</summary>
    public ManagerList? Managers { get; set; }

    /// <summary>Whether this node is meant by a service's name.</summary>
    public bool IsOurs(string service) =>
        isManager() && service switch
        {
            HostLabel.Manager => Managers is null || Managers.First.Address == local(),
            HostLabel.Authority => !isOpen && (Managers is null || Managers.Authority.Address == local()),
            _ => false,
        };

    /// <summary>
    /// The address of a manager or of a service, as the CA signed it: no machine that is called like a manager by itself comes between. Null where no list
    /// names it.
    /// </summary>
    public IPv4Address? AddressOf(string label) => Managers?.Named(label)?.Address;

    /// <summary>The names that this node publishes.</summary>
    public IEnumerable<string> Ours() => new[] { HostLabel.Manager, HostLabel.Authority }.Where(IsOurs);
}
