namespace CaService.Commands;

/// <summary><c>wow-ca policy</c>: says, or sets, who is admitted of the machines that the administrator has not named.</summary>
internal static class PolicyCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        AdmissionPolicy? wanted = options.Words switch
        {
            [] => null,
            [string word] => Read(word),
            _ => throw new UserError("Say one policy: ticket, list or manual."),
        };
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        if (wanted is { } policy)
        {
            ca.Database.Write(transaction => Admissions.Set(transaction, policy, time.GetUtcNow()));
        }

        AdmissionPolicy now = ca.Database.Read(Admissions.Policy);
        reply.Say($"{Admissions.NameOf(now)}: {Meaning(now)}", json => json.WriteString("policy", Admissions.NameOf(now)));
        return Task.FromResult(ExitCode.Done);
    }

    /// <summary>What a policy does, in a sentence for people.</summary>
    public static string Meaning(AdmissionPolicy policy) => policy switch
    {
        AdmissionPolicy.List => "machines are admitted whose key was approved (wow-ca approve), and no others",
        AdmissionPolicy.Manual => "every new machine waits until its key is approved or denied (wow-ca requests)",
        _ => "who has a good ticket is admitted at once, and who was approved",
    };

    private static AdmissionPolicy Read(string word)
    {
        foreach (AdmissionPolicy policy in Enum.GetValues<AdmissionPolicy>())
        {
            if (Admissions.NameOf(policy) == word)
            {
                return policy;
            }
        }

        throw new UserError($"'{word}' is no policy: say ticket, list or manual.");
    }
}
