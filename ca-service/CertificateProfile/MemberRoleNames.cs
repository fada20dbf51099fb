namespace CertificateProfile;

/// <summary>How roles are written.</summary>
internal static class MemberRoleNames
{
    public const string Worker = "worker";
    public const string Manager = "manager";

    public static string Of(MemberRole role) => role == MemberRole.Manager ? Manager : Worker;
}
