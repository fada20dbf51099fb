using System.Text;

namespace CertificateProfile;

/// <summary>Files that are whole or not there, whenever power goes.</summary>
public static class AtomicFile
{
    /// <summary>Writes a file beside the target, brings it to the disk, renames it over the target, and brings that to the disk, too.</summary>
    /// <param name="path">The target; its folder must exist.</param>
    /// <param name="contents">All of it.</param>
    /// <param name="mode">Permissions, set before the first byte is written.</param>
    /// <exception cref="IOException">The disk is full or the folder can't be written; the target is as before.</exception>
    /// <remarks>
    /// What others hear of next may count from then on: a key that the CA certifies, a stack that machines take. So it is there after a power cut.
    /// </remarks>
    public static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode) =>
        Write(path, contents, mode, stream => stream.Flush(flushToDisk: true));

    /// <summary>The same for text, in UTF-8.</summary>
    /// <inheritdoc cref="Write(string, ReadOnlySpan{byte}, UnixFileMode)"/>
    public static void WriteText(string path, string contents, UnixFileMode mode) => Write(path, Encoding.UTF8.GetBytes(contents), mode);

    /// <param name="path">As above.</param>
    /// <param name="contents">As above.</param>
    /// <param name="mode">As above.</param>
    /// <param name="bring">Brings what was done with the open file to the disk.</param>
    internal static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode, Action<FileStream> bring)
    {
        string temporary = $"{path}.{Environment.ProcessId}.new";
        try
        {
            File.Delete(temporary);
            var options = new FileStreamOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.Write,
                UnixCreateMode = mode,
            };
            using var stream = new FileStream(temporary, options);
            stream.Write(contents);
            bring(stream);
            File.Move(temporary, path, overwrite: true);

            // .NET opens no folder to sync it. A rename is a change of the file itself, too (its ctime), so fsync of the file has the journal write it.
            bring(stream);
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }
}
