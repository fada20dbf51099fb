using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace CaService.Admin;

/// <summary>
/// Who of the administrators is at the web page: codes, each for one login, and what their browsers show after that. All of it is in memory as hashes, and ends
/// with the program.
/// </summary>
/// <param name="time">Its timestamps count, which no change of the clock moves.</param>
/// <param name="isAdministrator">Whether an account is one, now.</param>
/// <remarks>Safe for concurrent use.</remarks>
internal sealed class PageSessions(TimeProvider time, Func<string, bool> isAdministrator)
{
    /// <summary>Codes, and logins, that are kept of all; one more takes the place of the oldest.</summary>
    internal const int Most = 64;

    /// <summary>The same of one administrator. Of codes the newest alone counts.</summary>
    internal const int MostOfOne = 4;

    /// <summary>128 random bits, in hexadecimal digits: nobody guesses one, so guesses are not counted.</summary>
    internal const int Digits = 32;

    /// <summary>How long a code is good for a login.</summary>
    internal static readonly TimeSpan CodeLife = TimeSpan.FromMinutes(10);

    /// <summary>How long a login lasts.</summary>
    internal static readonly TimeSpan Life = TimeSpan.FromHours(1);

    private readonly Lock _lock = new();
    private readonly List<Kept> _codes = [];
    private readonly List<Kept> _logins = [];

    private sealed record Kept(byte[] Hash, string Who, long Since);

    /// <summary>A new code for an administrator, in the place of the one before.</summary>
    public string MakeCode(string who)
    {
        lock (_lock)
        {
            return Keep(_codes, who, 1);
        }
    }

    /// <summary>What the browser shows from now on that brought a code, and whose it is.</summary>
    /// <returns>False where the code is not good: wrong, used, old, not the newest, or of who is no administrator any more.</returns>
    public bool TryLogin(string code, [NotNullWhen(true)] out string? secret, [NotNullWhen(true)] out string? who)
    {
        lock (_lock)
        {
            who = Find(_codes, code, CodeLife)?.Who;
            _codes.RemoveAll(one => IsOf(one, code));
            secret = who is null ? null : Keep(_logins, who, MostOfOne);
            return secret is not null;
        }
    }

    /// <summary>The administrator whose browser shows this; null where nobody's does.</summary>
    public string? WhoHas(string secret)
    {
        lock (_lock)
        {
            return Find(_logins, secret, Life)?.Who;
        }
    }

    /// <summary>It is good no more.</summary>
    public void End(string secret)
    {
        lock (_lock)
        {
            _logins.RemoveAll(one => IsOf(one, secret));
        }
    }

    private static byte[] Hash(string secret) => SHA256.HashData(Encoding.UTF8.GetBytes(secret));

    private static bool IsOf(Kept one, string secret) => CryptographicOperations.FixedTimeEquals(one.Hash, Hash(secret));

    private string Keep(List<Kept> among, string who, int mostOfOne)
    {
        string secret = RandomNumberGenerator.GetHexString(Digits, lowercase: true);
        while (among.Count(one => one.Who == who) >= mostOfOne)
        {
            among.Remove(among.First(one => one.Who == who));
        }

        if (among.Count >= Most)
        {
            among.RemoveAt(0);
        }

        among.Add(new Kept(Hash(secret), who, time.GetTimestamp()));
        return secret;
    }

    private Kept? Find(List<Kept> among, string secret, TimeSpan life)
    {
        // Who lost the right meanwhile loses what he has, and does not get it back with the right.
        among.RemoveAll(one => time.GetElapsedTime(one.Since) >= life || !isAdministrator(one.Who));
        return among.Find(one => IsOf(one, secret));
    }
}
