using CertificateProfile;

namespace CaService.Layers;

/// <summary>
/// Renews the term of the published stack: <c>term.notice</c> in the CA's folder, as it was signed last. The CA that serves asks again and again; a term is signed
/// when another stack was published, a day after the last one, and when its end is no time that the clock would give.
/// </summary>
internal sealed class TermDesk(StackFolder stacks, string folder, TimeProvider time)
{
    /// <summary>How often a term is renewed. So the machines know for <see cref="StackTerm.Life"/> less this, whatever becomes of the CA.</summary>
    internal static readonly TimeSpan Every = TimeSpan.FromDays(1);

    private const int LargestFile = 512;

    /// <summary>The notice, as ipopd takes it.</summary>
    public string NoticePath { get; } = Path.Combine(folder, "term.notice");

    /// <summary>
    /// The term that was signed last, with its number; number 0 and no term where there is none. What a damaged file says is of no use: it is signed anew. So is what a former
    /// key signed, with a higher number.
    /// </summary>
    public (ulong Number, StackTerm? Term) Read()
    {
        var file = new FileInfo(NoticePath);
        return file is { Exists: true, Length: <= LargestFile }
            && stacks.Keys.TryRead(StackTerm.NoticeKind, RottenFile.ReadSigned(NoticePath), out ulong number, out ReadOnlySpan<byte> body, out bool isNewest)
            && StackTerm.TryRead(body, out StackTerm? term)
            ? (number, isNewest ? term : null)
            : (0, null);
    }

    /// <summary>Until when machines take a stack for the newest.</summary>
    public DateTimeOffset Until(Published published) => DateTimeOffset.FromUnixTimeSeconds(
        Read().Term is { } term && term.Stack == published.Number ? term.Until : (long)Math.Min(published.Number, Agreed.LatestRestart - Agreed.TermLife) + Agreed.TermLife);

    /// <summary>The number of the newest term, which is signed where it is due; 0 while nothing was published.</summary>
    /// <exception cref="InvalidDataException">The published stack can't be read.</exception>
    /// <exception cref="UserError">There is no higher number.</exception>
    public ulong Current()
    {
        ulong stack = stacks.Read().Number;
        (ulong number, StackTerm? term) = Read();
        DateTimeOffset now = time.GetUtcNow();
        if (stack == 0 || (term is not null && term.Stack == stack && !IsDue(term, now)))
        {
            return stack == 0 ? 0 : number;
        }

        // Never below its stack's: so `wow-ca publish --after` brings both over what machines have.
        number = NoticeNumber.After(Math.Max(number, stack), now);
        var made = new StackTerm(stack, (now + StackTerm.Life).ToUnixTimeSeconds());
        AtomicFile.Write(NoticePath, stacks.Keys.Sign(StackTerm.NoticeKind, number, made.Write()), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return number;
    }

    // One that ends too late was signed while the clock was ahead.
    private static bool IsDue(StackTerm term, DateTimeOffset now) =>
        DateTimeOffset.FromUnixTimeSeconds(term.Until) - now is var left && (left <= StackTerm.Life - Every || left > StackTerm.Life);
}
