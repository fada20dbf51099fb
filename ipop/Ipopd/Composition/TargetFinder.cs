using Brunet;
using Brunet.Addressing;
using Ipop;
using Ipopd.Control;

namespace Ipopd.Composition;

/// <summary>Finds the node that a person means: by virtual address, by host name, by ring address, or by the first digits of a known peer's.</summary>
internal sealed class TargetFinder(Node node, VirtualNetwork network)
{
    /// <summary>As many digits as `wow peers` shows.</summary>
    private const int FewestDigits = 8;

    /// <summary>Finds a node.</summary>
    /// <param name="now">The present.</param>
    /// <param name="text">What the person wrote.</param>
    /// <param name="done">Called once, maybe before the call returns, with the node, or with what is wrong.</param>
    internal void Find(TimeSpan now, string text, Action<TimeSpan, NodeAddress, ControlFault?> done)
    {
        if (NodeAddress.TryParse(text, out NodeAddress whole) || TryFindPeer(now, text, out whole))
        {
            Found(now, text, whole, done);
            return;
        }

        network.Resolve(now, text, (then, address) =>
        {
            if (address is not { } virtualAddress)
            {
                done(then, default, NotFound($"'{text}' was not found; name a virtual address, a host of the pool, or a node address as `wow peers` shows it"));
                return;
            }

            foreach (PeerStatus peer in node.Peers(then))
            {
                if (peer.Identity.Certificate is { } certificate && IPv4Address.TryFrom(certificate.VirtualAddress, out IPv4Address named)
                    && named == virtualAddress)
                {
                    Found(then, text, peer.Identity.Address, done);
                    return;
                }
            }

            network.FindOwner(then, virtualAddress, (later, owner) =>
            {
                if (owner is { } found)
                {
                    Found(later, text, found, done);
                }
                else
                {
                    done(later, default, NotFound($"nobody in the pool has the address {virtualAddress}, or the ring does not answer; look with `wow status`"));
                }
            });
        });
    }

    /// <summary>What is known of a node.</summary>
    internal TargetReply Describe(TimeSpan now, NodeAddress target)
    {
        if (target == node.Address)
        {
            return new TargetReply(target.ToString(), network.Address?.ToString(), network.HostName);
        }

        foreach (PeerStatus peer in node.Peers(now))
        {
            if (peer.Identity.Address == target)
            {
                return new TargetReply(
                    target.ToString(),
                    peer.Identity.Certificate?.VirtualAddress.ToString() ?? network.AddressOf(target)?.ToString(),
                    peer.Identity.Certificate?.HostName);
            }
        }

        return new TargetReply(target.ToString(), network.AddressOf(target)?.ToString(), null);
    }

    private void Found(TimeSpan now, string text, NodeAddress found, Action<TimeSpan, NodeAddress, ControlFault?> done) =>
        done(now, found, found == node.Address ? new(ControlCode.BadRequest, $"'{text}' is this node itself; name another one") : null);

    private static ControlFault NotFound(string text) => new(ControlCode.NotFound, text);

    private bool TryFindPeer(TimeSpan now, string digits, out NodeAddress address)
    {
        address = default;
        if (digits.Length < FewestDigits || !digits.All(char.IsAsciiHexDigit))
        {
            return false;
        }

        int found = 0;
        foreach (PeerStatus peer in node.Peers(now))
        {
            if (peer.Identity.Address.ToString().StartsWith(digits, StringComparison.OrdinalIgnoreCase))
            {
                address = peer.Identity.Address;
                found++;
            }
        }

        return found == 1;
    }
}
