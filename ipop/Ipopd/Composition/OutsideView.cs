using Brunet;
using Ipop.Linux.Gateways;
using Ipop.Linux.Interfaces;

namespace Ipopd.Composition;

/// <summary>
/// Tells changes of where this machine stands from those inside it: the interface of each container or virtual machine that starts has an address, and nobody
/// elsewhere sees anything of it.
/// </summary>
/// <param name="leadsOutside">Whether an interface may lead to other machines (<see cref="InterfaceKinds"/>).</param>
internal sealed class OutsideView(Func<string, bool> leadsOutside)
{
    [Own("the machine's own interfaces")]
    private List<InterfaceAddress>? _addresses;

    [Own("the machine's own routes")]
    private IReadOnlyList<DefaultRoute> _routes = [];

    /// <summary>Takes what there is now; true if what leads outside is other than the last time, or this is the first time.</summary>
    internal bool IsChanged(IReadOnlyList<InterfaceAddress> addresses, IReadOnlyList<DefaultRoute> routes)
    {
        // Decided now and kept: of an interface that is gone nobody can say what it was.
        List<InterfaceAddress> outside = [.. addresses.Where(address => leadsOutside(address.Name))];
        bool isSame = _addresses is { } before && before.SequenceEqual(outside) && _routes.SequenceEqual(routes);
        (_addresses, _routes) = (outside, routes);
        return !isSame;
    }
}
