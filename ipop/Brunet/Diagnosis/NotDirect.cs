using Brunet.Links;

namespace Brunet.Diagnosis;

/// <summary>Why a peer is not reached straight.</summary>
public enum NotDirect
{
    /// <summary>The session is seconds old: it is being tried.</summary>
    Trying,

    /// <summary>Neither end has used the link lately, so it is not tried.</summary>
    Idle,

    /// <summary>The peer has not said yet where it may be reached.</summary>
    NothingHeard,

    /// <summary>The peer said that it knows no address of its own.</summary>
    NothingOffered,

    /// <summary>A straight path stood and died; it is tried again.</summary>
    Lost,

    /// <summary>Nothing came back from any address that the peer named.</summary>
    Unanswered,
}

/// <summary>Finds the reason.</summary>
internal static class NotDirectReason
{
    private static readonly TimeSpan TryFor = TimeSpan.FromSeconds(5);

    /// <summary>Why a peer with a session is not reached straight; null if it is.</summary>
    /// <param name="now">The present.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="offered">How many endpoints it named; null if it has not said where it is.</param>
    public static NotDirect? Of(TimeSpan now, Peer peer, int? offered) => peer switch
    {
        { Best.Kind: PathKind.Direct } => null,
        _ when now - peer.CreatedAt < TryFor => NotDirect.Trying,
        { LastDirect: not null } => NotDirect.Lost,
        _ when !peer.Use.IsWanted(now) => NotDirect.Idle,
        _ when offered is null => NotDirect.NothingHeard,
        _ when offered == 0 => NotDirect.NothingOffered,
        _ => NotDirect.Unanswered,
    };
}
