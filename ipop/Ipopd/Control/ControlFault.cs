namespace Ipopd.Control;

/// <summary>Why a request is not carried out. Programs decide by the code, people read the text.</summary>
/// <param name="Code">One of the constants here (docs/architecture.md, Control socket). It stays as it is from release to release.</param>
/// <param name="Text">What is wrong and what to do.</param>
internal sealed record ControlFault(string Code, string Text)
{
    /// <summary>The line is no request, or a field of it is missing or wrong.</summary>
    internal const string BadRequest = "bad-request";

    /// <summary>There is no such command.</summary>
    internal const string UnknownCommand = "unknown-command";

    /// <summary>The caller may ask, but not change anything.</summary>
    internal const string NotPermitted = "not-permitted";

    /// <summary>Nobody in the pool has that name or address.</summary>
    internal const string NotFound = "not-found";

    /// <summary>The certificate can't be used, or there is none.</summary>
    internal const string BadCertificate = "bad-certificate";

    /// <summary>The file can't be read, or holds no notice that the CA signed.</summary>
    internal const string BadNotice = "bad-notice";

    /// <summary>This very number is known already.</summary>
    internal const string NoticeKnown = "notice-known";

    /// <summary>A higher number is known.</summary>
    internal const string NoticeOutdated = "notice-outdated";

    /// <summary>The pool is open, so it has no CA.</summary>
    internal const string OpenPool = "open-pool";
}
