using System.Text;

namespace CertificateProfile;

/// <summary>Files that are whole or not there, whenever power goes.</summary>
public static class AtomicFile
{
    /// <summary>Writes a file beside the target, brings it to the disk, then renames it over the target.</summary>
    /// <param name="path">The target; its folder must exist.</param>
    /// <param name="contents">All of it.</param>
    /// <param name="mode">Permissions, set before the first byte is written.</param>
    /// <exception cref="IOException">The disk is full or the folder can't be written; the target is as before.</exception>
    /// <remarks>The rename itself may be lost with the power: then the old state stands, which every caller must be able to go on from.</remarks>
    public static void Write(string path, ReadOnlySpan<byte> contents, UnixFileMode mode)
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
            using (var stream = new FileStream(temporary, options))
            {
                stream.Write(contents);
                stream.Flush(flushToDisk: true);
            }

            File.Move(temporary, path, overwrite: true);
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }

    /// <summary>The same for text, in UTF-8.</summary>
    /// <inheritdoc cref="Write"/>
    public static void WriteText(string path, string contents, UnixFileMode mode) => Write(path, Encoding.UTF8.GetBytes(contents), mode);
}
