using Fuzz.Targets;

namespace Fuzz;

/// <summary>Every target, in the order of the table.</summary>
internal static class AllTargets
{
    public static IReadOnlyList<FuzzTarget> Make() =>
    [
        .. WireTargets.Make(),
        new HandshakeFrameTarget(),
        new KnockTarget(),
        new HandshakeStreamTarget(),
        new StreamFramingTarget(),
        new TlsCrossingTarget(),
        new RecordTarget(),
        new TlsTarget(),
        new NodeStrangerTarget(),
        new NodeMemberTarget(),
        .. NetworkTargets.Make(),
        JoinedTarget.Make(),
        new CertificateTarget(),
        .. EnrolmentTargets.Make(),
        new EstTarget(),
        new LayersTarget(),
        new ConfigurationTarget(),
        new ControlTarget(),
        new GatewayTarget(),
        new NtpTarget(),
        new UpnpTarget(),
        RouteTarget.Make(),
        .. StateTargets.Make(),
    ];
}
