using CertificateProfile;

namespace Ipopd.State;

/// <summary>
/// The CA's certificate in the state folder: that of the configuration disk, or the later one that the CA renewed it to and that came as a notice. Who wrote the notice
/// need not be asked: only the holder of the CA's key can have made a certificate that it signed itself.
/// </summary>
internal static class AuthorityFile
{
    /// <summary>Reads the certificate that counts.</summary>
    /// <exception cref="InvalidDataException">STATE/ca.pem holds no CA certificate.</exception>
    /// <exception cref="IOException">It can't be read.</exception>
    internal static PoolAuthority Load(string folder)
    {
        var authority = PoolAuthority.Load(StateFolder.AuthorityFile(folder));
        string path = Path.Combine(folder, FileNames.RenewedAuthority);
        try
        {
            return File.Exists(path) && NoticeFile.Load(path) is { } notice && PoolAuthority.TryRead(notice.Body.Span, out PoolAuthority? newer, out _)
                && newer.IsSameAs(authority) && newer.NotAfter > authority.NotAfter ? newer : authority;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The neighbours tell it again.
            return authority;
        }
    }

    /// <summary>Has all programs of the machine find this certificate, if it is not there yet.</summary>
    /// <returns>Whether it was written.</returns>
    /// <exception cref="IOException">It can't be written; the file is as before.</exception>
    internal static bool Keep(string folder, PoolAuthority authority)
    {
        string path = StateFolder.AuthorityFile(folder), pem = CertificatePem.Write(authority.Der.Span);
        if (File.Exists(path) && File.ReadAllText(path) == pem)
        {
            return false;
        }

        AtomicFile.WriteText(path, pem, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        return true;
    }
}
