namespace CaService.Commands;

/// <summary><c>wow-ca approve</c> and <c>wow-ca deny</c>: the administrator's word on machines, by their keys.</summary>
/// <remarks>By the key alone: a name is what a stranger says of himself, and an address may be another machine's a moment later.</remarks>
internal static class DecideCommand
{
    /// <summary>Digits of a ring address.</summary>
    private const int KeyDigits = CertificateProfile.NodeKey.AddressDigits;

    /// <summary>As many of them name a key that is known: nobody makes another with the same 64 bits.</summary>
    private const int LeastDigits = 16;

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time, AdmissionState state)
    {
        if (options.Words.Count == 0)
        {
            throw new UserError("Say which machine, by its key: wow-ca requests shows those that wait, and a machine's console shows its own.");
        }

        List<string> words = options.Words.Select(Clean).ToList();
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        DateTimeOffset now = time.GetUtcNow();

        // All or none, so that who mistyped one types the same line again.
        (List<AdmissionRow> decided, List<CertificateRow> held) = ca.Database.Write(transaction =>
        {
            List<string> keys = words.ConvertAll(word => Find(transaction, word));
            if (state == AdmissionState.Approved)
            {
                keys.ForEach(key => RefuseRevoked(transaction, key));
            }

            return (
                keys.ConvertAll(key => Admissions.Decide(transaction, key, state, now)),
                state == AdmissionState.Denied ? Certificates.All(transaction).FindAll(row => IsValid(row, now) && keys.Exists(key => row.Key.StartsWith(key, StringComparison.Ordinal))) : []);
        });
        reply.Say(
            output =>
            {
                foreach (AdmissionRow row in decided)
                {
                    output.WriteLine($"{row.Node} is {row.StateName}{(row.Host is null ? string.Empty : $", which would like to be called {row.Host}")}");
                }

                foreach (CertificateRow row in held)
                {
                    output.WriteLine($"It has a certificate already, keeps it and renews it: to take that back, wow-ca revoke {row.Serial}");
                }
            },
            json =>
            {
                json.WriteStartArray(AdmissionRow.NameOf(state));
                decided.ForEach(row => json.WriteStringValue(row.Node));
                json.WriteEndArray();
                json.WriteStartArray("certificates");
                held.ForEach(row => json.WriteStringValue(row.Serial));
                json.WriteEndArray();
            });
        return Task.FromResult(ExitCode.Done);
    }

    private static bool IsValid(CertificateRow row, DateTimeOffset now) => row.Status == "valid" && row.NotAfter >= now;

    /// <summary>People copy a key from a screen: blanks and colons between its digits, and capitals, are no matter.</summary>
    private static string Clean(string word)
    {
        string key = word.Replace(" ", string.Empty, StringComparison.Ordinal).Replace(":", string.Empty, StringComparison.Ordinal).ToLowerInvariant();
        return key.Length is >= LeastDigits and <= KeyDigits && key.All(char.IsAsciiHexDigitLower)
            ? key
            : throw new UserError($"'{word}' is no key: give its {KeyDigits} hexadecimal digits, or of a machine that waits the first {LeastDigits} or more.");
    }

    private static void RefuseRevoked(Transaction transaction, string key)
    {
        if (Revocations.OfNodeAt(transaction, key) is DateTimeOffset at)
        {
            throw new UserError($"{key} was revoked at {at:u}, and no approval changes that. By wow reset that machine gets another key: approve that one. Nothing was changed.");
        }
    }

    private static string Find(Transaction transaction, string word) => Admissions.Beginning(transaction, word) switch
    {
        [AdmissionRow row] => row.Node,
        [] when word.Length == KeyDigits => word,
        [] => throw new UserError($"No machine that waits has a key that begins with {word}: wow-ca requests shows them, and one that has not asked yet is named by all {KeyDigits} digits."),
        _ => throw new UserError($"Two keys begin with {word}: give more digits."),
    };
}
