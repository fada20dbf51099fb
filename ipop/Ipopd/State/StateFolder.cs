using CertificateProfile;
using Ipopd.Configuration;

namespace Ipopd.State;

/// <summary>The folder that keeps a node's identity over restarts. One daemon at a time may hold it.</summary>
internal sealed class StateFolder : IDisposable
{
    private readonly FileStream _lock;

    private StateFolder(string path, FileStream held)
    {
        Path = path;
        _lock = held;
    }

    /// <summary>The folder.</summary>
    internal string Path { get; }

    /// <summary>The node's private key.</summary>
    internal static string KeyFile(string folder) => System.IO.Path.Combine(folder, FileNames.Key);

    /// <summary>The node's certificate.</summary>
    internal static string CertificateFile(string folder) => System.IO.Path.Combine(folder, FileNames.Certificate);

    /// <summary>The pool's CA certificate.</summary>
    internal static string AuthorityFile(string folder) => System.IO.Path.Combine(folder, FileNames.Authority);

    /// <summary>Makes the folder if it is missing.</summary>
    /// <exception cref="ConfigurationException">It can't be made or written.</exception>
    internal static void Create(string configuration, string path)
    {
        try
        {
            const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
                | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;
            Directory.CreateDirectory(path, Mode);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Unusable(configuration, path, exception);
        }
    }

    /// <summary>Takes the folder for this process, by flock(2) on a file in it.</summary>
    /// <exception cref="ConfigurationException">Another ipopd has it, or it can't be written.</exception>
    internal static StateFolder Take(string configuration, string path)
    {
        Create(configuration, path);
        string lockFile = System.IO.Path.Combine(path, FileNames.Lock);
        try
        {
            return new StateFolder(path, new FileStream(lockFile, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None));
        }
        catch (IOException exception) when (IsLocked(exception))
        {
            throw new ConfigurationException(
                $"{configuration}: {OptionKey.NodeState} = {path} is in use by another ipopd; stop that one or give this one a folder of its own");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Unusable(configuration, path, exception);
        }
    }

    /// <summary>Writes a file whole or not at all.</summary>
    /// <exception cref="IOException">The disk is full or the folder can't be written; the file is as before.</exception>
    internal static void Write(string path, ReadOnlySpan<byte> contents) =>
        AtomicFile.Write(path, contents, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead);

    /// <inheritdoc/>
    public void Dispose() => _lock.Dispose();

    private static bool IsLocked(IOException exception)
    {
        const int EWOULDBLOCK = 11;
        return exception.HResult == EWOULDBLOCK;
    }

    private static ConfigurationException Unusable(string configuration, string path, Exception exception) =>
        new($"{configuration}: {OptionKey.NodeState} = {path} can't be used ({exception.Message}); make the folder writable for ipopd");
}
