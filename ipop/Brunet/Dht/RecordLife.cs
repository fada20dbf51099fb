namespace Brunet.Dht;

/// <summary>
/// How long records live and how often their owners renew them. The replicas hand records on by themselves, so renewal is only for what
/// they all lost together, and for owners that died: what those leave behind stands for its life.
/// </summary>
internal static class RecordLife
{
    /// <summary>
    /// After a create the first renewal comes this early: of two that were stored by majorities at the same time, the one that lost learns it here
    /// even where nobody can tell it before.
    /// </summary>
    public static readonly TimeSpan FirstRenewal = TimeSpan.FromSeconds(30);

    /// <summary>Jitter on each side of a renewal's interval, as a share of it.</summary>
    public const double Jitter = 0.2;

    /// <summary>How long a replica keeps a record of a kind that nobody renews.</summary>
    public static TimeSpan Of(RecordKind kind) => TimeSpan.FromSeconds(kind == RecordKind.Service ? 120 : 600);

    /// <summary>How often an owner renews a record of a kind; a service has to pass to another node soon after its owner died.</summary>
    public static TimeSpan RenewalOf(RecordKind kind) => TimeSpan.FromSeconds(kind == RecordKind.Service ? 30 : 150);
}
