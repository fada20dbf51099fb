namespace CertificateProfile;

/// <summary>A file on a disk that may have lost a part of it.</summary>
public static class RottenFile
{
    /// <summary>An IOException's HResult where a sector cannot be read: EIO (errno(3)).</summary>
    public const int BadSector = 5;

    /// <summary>All bytes of a file that is signed; none where the disk cannot give them: they are no more of use than those that rotted.</summary>
    /// <exception cref="IOException">It is not there, or cannot be opened.</exception>
    public static byte[] ReadSigned(string path)
    {
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (IOException e) when (e.HResult == BadSector)
        {
            return [];
        }
    }
}
