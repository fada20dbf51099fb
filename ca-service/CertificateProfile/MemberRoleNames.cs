namespace CertificateProfile;

/// <summary>How roles are written.</summary>
public static class MemberRoleNames
{
    /// <summary>As OU of a subject, in the CA's table, in `wow status` and in pool.conf.</summary>
    public const string Worker = Agreed.WorkerRole;
    /// <inheritdoc cref="Worker"/>
    public const string Manager = Agreed.ManagerRole;

    /// <summary>The name of a role.</summary>
    public static string Of(MemberRole role) => role == MemberRole.Manager ? Manager : Worker;
}
