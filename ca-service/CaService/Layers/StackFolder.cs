using System.Security.Cryptography;
using CertificateProfile;

namespace CaService.Layers;

/// <summary>
/// The pool's stack in the CA's folder: <c>stack.notice</c>, as it was signed last, and <c>layers/SHA256</c>, its layers. A layer that has its name is whole; what
/// comes in stands under another one. Several processes may look; who changes anything holds the lock.
/// </summary>
/// <remarks>Safe for concurrent use.</remarks>
internal sealed class StackFolder(CaFolder ca, string folder)
{
    /// <summary>Bytes that are left of the disk, for what else the CA writes: a certificate matters more than a module.</summary>
    internal const long RoomLeft = 64 << 20;

    // errno(3): that of flock(2) where another has it, and that of a full disk.
    private const int WouldBlock = 11, NoSpace = 28;
    private const int LargestFile = Agreed.LargestStackText + 512;
    private const string Unfinished = ".part";
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly Lock _lock = new();
    private (DateTime Time, long Length, DateTime Keys)? _seen;
    private Published _read = new(0, PoolLayers.Empty);

    /// <summary>The notice, as ipopd takes it.</summary>
    public string NoticePath { get; } = Path.Combine(folder, "stack.notice");

    /// <summary>What signs it.</summary>
    public StackKeyring Keys { get; } = new(ca, folder);

    /// <summary>How many bytes the disk has room for.</summary>
    internal Func<string, long> Room { get; init; } = path => new DriveInfo(path).AvailableFreeSpace;

    private string LayersPath { get; } = Path.Combine(folder, "layers");

    /// <summary>What is published. It is read again when the file changes.</summary>
    /// <exception cref="InvalidDataException">The file is none that this CA signed.</exception>
    public Published Read()
    {
        lock (_lock)
        {
            var file = new FileInfo(NoticePath);
            DateTime keys = File.GetLastWriteTimeUtc(Keys.NoticePath);
            if (!file.Exists)
            {
                (_seen, _read) = (null, new Published(0, PoolLayers.Empty));
            }
            else if (_seen != (file.LastWriteTimeUtc, file.Length, keys))
            {
                _read = file.Length <= LargestFile
                    && Keys.TryRead(PoolLayers.NoticeKind, RottenFile.ReadSigned(NoticePath), out ulong number, out ReadOnlySpan<byte> body, out bool isNewest)
                    && PoolLayers.TryRead(body, out PoolLayers? stack, out _)
                    ? new Published(number, stack, isNewest)
                    : throw new InvalidDataException($"{NoticePath} is no stack that this CA signed: publish it once more with wow-ca publish.");
                _seen = (file.LastWriteTimeUtc, file.Length, keys);
            }

            return _read;
        }
    }

    /// <summary>What is published, for who takes its place: a file that is no stack, by a disk that rots, counts as none.</summary>
    /// <exception cref="InvalidDataException">The keys of the stack are damaged.</exception>
    public Published ReadOrNone()
    {
        _ = Keys.Read();
        try
        {
            return Read();
        }
        catch (InvalidDataException)
        {
            return new Published(0, PoolLayers.Empty);
        }
    }

    /// <summary>The number of what is published; 0 where nothing ever was. What a former key signed is signed anew, with a higher number: machines believe the newest key alone.</summary>
    /// <exception cref="InvalidDataException">The file is none that this CA signed.</exception>
    /// <exception cref="UserError">The newest key is not here, or somebody publishes at this moment.</exception>
    public ulong Current(DateTimeOffset now)
    {
        if (Read() is { Number: 0 } or { IsByNewestKey: true })
        {
            return Read().Number;
        }

        using IDisposable one = TakeLock();
        Published former = Read();
        ulong number = NoticeNumber.After(former.Number, now);
        AtomicFile.Write(NoticePath, Keys.Sign(PoolLayers.NoticeKind, number, former.Stack.Write()), OwnerOnly);
        return number;
    }

    /// <summary>Where a layer is, or would be.</summary>
    public string PathOf(StackLayer layer) => Path.Combine(LayersPath, layer.Digest);

    /// <summary>Whether a layer is here.</summary>
    public bool Has(StackLayer layer) => new FileInfo(PathOf(layer)) is { Exists: true } file && file.Length == layer.Size;

    /// <summary>Whether it is here, all of it can be read, and no bit of it has rotted.</summary>
    public async Task<bool> IsWholeAsync(StackLayer layer)
    {
        if (!Has(layer))
        {
            return false;
        }

        await using FileStream file = File.OpenRead(PathOf(layer));
        try
        {
            return Convert.ToHexStringLower(await SHA256.HashDataAsync(file)) == layer.Digest;
        }
        catch (IOException e) when (e.HResult == RottenFile.BadSector)
        {
            return false;
        }
    }

    /// <summary>Keeps all others from publishing until it is disposed of.</summary>
    /// <exception cref="UserError">Another has it.</exception>
    public IDisposable TakeLock()
    {
        Directory.CreateDirectory(LayersPath, OwnerOnly | UnixFileMode.UserExecute);
        try
        {
            return new FileStream(
                Path.Combine(folder, "layers.lock"), new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.Write, Share = FileShare.None, UnixCreateMode = OwnerOnly });
        }
        catch (IOException e) when (e.HResult == WouldBlock)
        {
            throw new UserError("Another stack is being published at this moment: wait until that has ended, look with wow-ca stack, and publish again.");
        }
    }

    /// <summary>Removes all files but some layers, also what an upload left that was cut.</summary>
    public void Keep(IEnumerable<StackLayer> layers)
    {
        HashSet<string> kept = [.. layers.Select(PathOf)];
        foreach (string path in Directory.EnumerateFiles(LayersPath).Where(path => !kept.Contains(path)).ToList())
        {
            File.Delete(path);
        }
    }

    /// <summary>Looks for room before anything is sent.</summary>
    /// <exception cref="UserError">There is too little.</exception>
    public void CheckRoom(IEnumerable<StackLayer> lacking)
    {
        long size = lacking.Sum(layer => layer.Size), room = Room(LayersPath);
        if (size > 0 && size + RoomLeft > room)
        {
            throw Full($"the stack needs {size >> 20} MiB there, and {Math.Max(room - RoomLeft, 0) >> 20} MiB are free for it");
        }
    }

    /// <summary>Takes a layer in, whole or not at all.</summary>
    /// <exception cref="UserError">It is not what the stack says, or the disk is full.</exception>
    public async Task TakeAsync(StackLayer layer, ILayerSource source)
    {
        string part = PathOf(layer) + Unfinished;
        try
        {
            using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            await using (var file = new FileStream(
                part, new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, UnixCreateMode = OwnerOnly, BufferSize = 0 }))
            {
                await source.CopyAsync(layer, piece =>
                {
                    hash.AppendData(piece.Span);
                    return file.WriteAsync(piece);
                });
                file.Flush(flushToDisk: true);
            }

            if (Convert.ToHexStringLower(hash.GetHashAndReset()) != layer.Digest)
            {
                throw new UserError($"{layer.Name} has another SHA-256 than the stack says ({layer.Digest}): copy the whole folder once more. Nothing was published.");
            }

            File.Move(part, PathOf(layer), overwrite: true);
        }
        catch (IOException e) when (e.HResult == NoSpace)
        {
            throw Full(e.Message);
        }
        finally
        {
            File.Delete(part);
        }
    }

    private UserError Full(string why) => new(
        $"The disk of {folder} is too full ({why}): free some on the machine with the CA, and publish again. Nothing was published; layers that came whole are kept for that.");
}
