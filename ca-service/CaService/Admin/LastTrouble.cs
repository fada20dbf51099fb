using CertificateProfile;

namespace CaService.Admin;

/// <summary>Why <c>wow-ca serve</c> ended last: a sentence beside the administrators' socket, for those of them whom nobody answers there, and for the doctor.</summary>
internal static class LastTrouble
{
    private const UnixFileMode ForGroup = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;

    /// <summary>Leaves it. Where that cannot be written, the journal alone has it.</summary>
    public static void Leave(string socket, string sentence)
    {
        try
        {
            AtomicFile.WriteText(Beside(socket), sentence + "\n", ForGroup);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    /// <summary>Who asks is answered again.</summary>
    /// <exception cref="IOException">The file can't be removed.</exception>
    public static void End(string socket) => File.Delete(Beside(socket));

    /// <summary>What was left; null where nothing was, or this user may not know.</summary>
    public static string? Find(string socket)
    {
        try
        {
            return File.ReadAllText(Beside(socket)).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static string Beside(string socket) => Path.Combine(Path.GetDirectoryName(Path.GetFullPath(socket))!, FileNames.Trouble);
}
