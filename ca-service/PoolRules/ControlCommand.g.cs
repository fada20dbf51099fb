// Made of docs/contract/control.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace PoolRules;

/// <summary>What ipopd can be asked over its control socket.</summary>
public static class ControlCommand
{
    /// <summary>The node as it stands.</summary>
    public const string Status = "status";

    /// <summary>The nodes that it has sessions with.</summary>
    public const string Peers = "peers";

    /// <summary>Pings a node once, in the session with it, which is made if there is none.</summary>
    public const string Ping = "ping";

    /// <summary>Finds the way to a node.</summary>
    public const string Trace = "trace";

    /// <summary>All figures.</summary>
    public const string Metrics = "metrics";

    /// <summary>Finds the address of a name.</summary>
    public const string Resolve = "resolve";

    /// <summary>Takes up the certificate in the state folder.</summary>
    public const string Reload = "reload";

    /// <summary>Gives an address up that the CA refused: takes the next claimable address and bounces the carrier.</summary>
    public const string RefuseAddress = "refuse-address";

    /// <summary>Spreads a notice that the CA signed to all nodes.</summary>
    public const string PublishNotice = "publish-notice";

    /// <summary>Says how much this machine sends at most. It holds until other words come or ipopd ends.</summary>
    public const string Limit = "limit";

    /// <summary>Ends the daemon.</summary>
    public const string Stop = "stop";
}
