// Made of docs/contract/control.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace PoolRules;

/// <summary>Why ipopd does not carry a request out, for programs. A code stays as it is from release to release.</summary>
public static class ControlCode
{
    /// <summary>The line is no request, or a field of it is missing or wrong.</summary>
    public const string BadRequest = "bad-request";

    /// <summary>There is no such command.</summary>
    public const string UnknownCommand = "unknown-command";

    /// <summary>The caller may ask, but not change anything.</summary>
    public const string NotPermitted = "not-permitted";

    /// <summary>Nobody in the pool has that name or address.</summary>
    public const string NotFound = "not-found";

    /// <summary>The certificate can't be used, or there is none.</summary>
    public const string BadCertificate = "bad-certificate";

    /// <summary>The file can't be read, or holds no notice that the CA signed.</summary>
    public const string BadNotice = "bad-notice";

    /// <summary>This very number is known already.</summary>
    public const string NoticeKnown = "notice-known";

    /// <summary>A higher number is known.</summary>
    public const string NoticeOutdated = "notice-outdated";

    /// <summary>The pool is open, so it has no CA.</summary>
    public const string OpenPool = "open-pool";
}
