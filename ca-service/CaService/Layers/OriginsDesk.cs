using CertificateProfile;

namespace CaService.Layers;

/// <summary>
/// Web servers that machines ask for the files of the published stack: <c>origins.notice</c> in the CA's folder, as it was signed last, by the key that signs the stack.
/// </summary>
internal sealed class OriginsDesk(CaFolder ca, StackFolder stacks, string folder, TimeProvider time)
{
    private const int LargestFile = 4096;

    /// <summary>The notice, as ipopd takes it.</summary>
    public string NoticePath { get; } = Path.Combine(folder, "origins.notice");

    /// <summary>What was signed last, with its number; 0 where nothing was, or the file is damaged. IsByNewestKey: whether machines believe it.</summary>
    public (ulong Number, OriginList List, bool IsByNewestKey) Read()
    {
        var file = new FileInfo(NoticePath);
        return file is { Exists: true, Length: <= LargestFile }
            && stacks.Keys.TryRead(OriginList.NoticeKind, RottenFile.ReadSigned(NoticePath), out ulong number, out ReadOnlySpan<byte> body, out bool isNewest)
            && OriginList.TryRead(body, out OriginList? list)
            ? (number, list, isNewest)
            : (0, OriginList.Empty, true);
    }

    /// <summary>Has machines ask these, and no others.</summary>
    /// <returns>The notice's number.</returns>
    /// <exception cref="UserError">The newest key is not here, or somebody publishes at this moment.</exception>
    public ulong Sign(OriginList list)
    {
        using IDisposable one = stacks.TakeLock();
        stacks.Keys.Check();
        DateTimeOffset now = time.GetUtcNow();
        ulong number = NoticeNumber.After(Read().Number, now);
        ca.Database.Write(transaction => Audit.Append(transaction, now, "origins", $"number={number} origins={string.Join(',', list.Origins)}"));
        Write(number, list);
        return number;
    }

    /// <summary>The number of what machines are to believe; 0 where nothing was ever signed. What a former key signed is signed anew, with a higher number.</summary>
    /// <exception cref="UserError">The newest key is not here, or somebody publishes at this moment.</exception>
    public ulong Current()
    {
        if (Read() is { Number: 0 } or { IsByNewestKey: true })
        {
            return Read().Number;
        }

        using IDisposable one = stacks.TakeLock();
        (ulong former, OriginList list, _) = Read();
        ulong number = NoticeNumber.After(former, time.GetUtcNow());
        Write(number, list);
        return number;
    }

    private void Write(ulong number, OriginList list) =>
        AtomicFile.Write(NoticePath, stacks.Keys.Sign(OriginList.NoticeKind, number, list.Write()), UnixFileMode.UserRead | UnixFileMode.UserWrite);
}
