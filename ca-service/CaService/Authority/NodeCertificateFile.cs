using CertificateProfile;

namespace CaService;

/// <summary>A machine's <c>node.pem</c>: whole or not there, readable by all.</summary>
internal static class NodeCertificateFile
{
    public static void Write(string path, byte[] der) => AtomicFile.WriteText(
        path,
        CertificatePem.Write(der),
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
}
