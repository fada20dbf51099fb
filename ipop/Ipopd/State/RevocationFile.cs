using CertificateProfile;

namespace Ipopd.State;

/// <summary>The list of revoked certificates that was known before the last stop: the newest notice of its kind.</summary>
internal static class RevocationFile
{
    /// <summary>Reads the list.</summary>
    /// <returns>Null if there is none, or none that this CA signed.</returns>
    internal static RevocationList? Load(string folder, PoolAuthority authority)
    {
        string path = Path.Combine(folder, FileNames.Revocations);
        try
        {
            return File.Exists(path) && NoticeFile.Load(path) is { } notice && authority.TryReadRevocations(notice.Body.Span, out RevocationList? list, out _)
                ? list
                : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The neighbours tell it again.
            return null;
        }
    }
}
