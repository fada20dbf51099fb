using Brunet;
using Ipop.Linux.Gateways;
using Ipop.Linux.Interfaces;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>
/// The networks that this machine stands in: its addresses and default routes, looked at whenever the kernel says that something about them
/// changed, and told on only if something did that leads to other machines.
/// </summary>
internal sealed class Surroundings : IDisposable
{
    // A lease changes an address and some routes within milliseconds; one look serves them all.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(30);
    private static readonly TimeSpan BetweenLooks = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LookAgain = TimeSpan.FromSeconds(5);

    private readonly DaemonOptions _options;
    private readonly ILogger _log;
    private readonly Shortages _shortages;
    private readonly NetworkWatch _watch;
    private readonly OutsideView _outside = new(InterfaceKinds.System.LeadsOutside);

    [Own("the machine's own interfaces")]
    private IReadOnlyList<InterfaceAddress> _addresses = [];

    [Own("the machine's own routes")]
    private IReadOnlyList<DefaultRoute> _routes = [];
    private TimeSpan _lastLook = TimeSpan.MinValue;

    private Surroundings(DaemonOptions options, NetworkWatch watch, Shortages shortages, ILogger log) => (_options, _watch, _shortages, _log) = (options, watch, shortages, log);

    /// <summary>Routes are other ones than before, or addresses of interfaces that may lead to other machines.</summary>
    internal Action<TimeSpan>? Changed { get; set; }

    /// <summary>Something may be other than before, also about the overlay's own interface.</summary>
    internal Action? Looked { get; set; }

    /// <summary>The addresses of the interfaces that are up, without the overlay's own.</summary>
    internal IReadOnlyList<InterfaceAddress> Addresses => _addresses;

    /// <summary>The ways out.</summary>
    internal IReadOnlyList<DefaultRoute> Routes => _routes;

    /// <summary>Networks of this machine that the pool's subnet overlaps, in sentences.</summary>
    [field: Own("the machine's own networks")]
    internal IReadOnlyList<string> Overlaps { get; private set; } = [];

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    internal TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Begins to listen; the first <see cref="Look"/> is the caller's.</summary>
    /// <exception cref="IOException">The kernel does not let it.</exception>
    internal static Surroundings Open(PollLoop loop, DaemonOptions options, ILogger log)
    {
        var surroundings = new Surroundings(options, NetworkWatch.Open(), loop.Shortages, log);
        loop.Add(surroundings._watch.Descriptor, surroundings.OnEvent);
        return surroundings;
    }

    /// <summary>Looks, if it is time to.</summary>
    internal void Tick(TimeSpan now)
    {
        if (now >= NextTick)
        {
            NextTick = TimeSpan.MaxValue;
            Look(now);
        }
    }

    /// <summary>Looks now. Later, if the kernel does not say: it is short of descriptors or memory, and what was known may still hold.</summary>
    /// <exception cref="IOException">The kernel does not say what addresses there are, and nothing is known yet.</exception>
    internal void Look(TimeSpan now)
    {
        IReadOnlyList<InterfaceAddress> addresses;
        try
        {
            addresses = Outside(InterfaceTable.Read());
        }
        catch (IOException exception) when (_lastLook != TimeSpan.MinValue)
        {
            _log.NetworksUnknown(exception.Message);
            _shortages.Note(now);
            NextTick = now + LookAgain;
            return;
        }

        IReadOnlyList<DefaultRoute> routes = DefaultRoutes.Read();
        _lastLook = now;
        Looked?.Invoke();
        (_addresses, _routes) = (addresses, routes);
        IReadOnlyList<string> before = Overlaps;
        Overlaps = LocalNetworks.Overlaps(_options, addresses);
        foreach (string overlap in Overlaps)
        {
            if (!before.Contains(overlap))
            {
                _log.SubnetOverlaps(overlap);
            }
        }

        if (_outside.IsChanged(addresses, routes))
        {
            Changed?.Invoke(now);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _watch.Dispose();

    private List<InterfaceAddress> Outside(IReadOnlyList<InterfaceAddress> every)
    {
        var outside = new List<InterfaceAddress>();
        foreach (InterfaceAddress address in every)
        {
            if (address.Name != _options.TapName)
            {
                outside.Add(address);
            }
        }

        return outside;
    }

    private void OnEvent(TimeSpan now)
    {
        if (_watch.Receive() && NextTick == TimeSpan.MaxValue)
        {
            TimeSpan earliest = _lastLook + BetweenLooks;
            NextTick = now + Settling > earliest ? now + Settling : earliest;
        }
    }
}
