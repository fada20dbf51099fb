using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca renew-authority</c>: makes the CA's certificate anew with the same key, before it ends and the pool with it.</summary>
internal static class RenewAuthorityCommand
{
    public const string Name = "renew-authority";

    private static readonly Option Early = new("early", null, "also before the middle of its life");

    /// <summary>Its options.</summary>
    public static IReadOnlyList<Option> Own { get; } = [Early, ProvenClock.Today, Option.Folder];

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        using CaFolder ca = CaFolder.Open(options.Get(Option.Folder.Name));
        DateTimeOffset now = time.GetUtcNow();
        PoolAuthority former = ca.Authority;
        DateTimeOffset from = former.NotAfter - (PoolProfile.AuthorityLifetime / 2);
        bool isTime = now >= from || options.Has(Early.Name);
        if (isTime)
        {
            ProvenClock.Check(ca, options, now);
            ca.RenewAuthority(now);
        }

        PoolAuthority current = ca.Authority;
        reply.Say(
            words =>
            {
                words.WriteLine(isTime
                    ? $"The CA's certificate ends on {current.NotAfter:yyyy-MM-dd} from now on, and no more on {former.NotAfter:yyyy-MM-dd}. Its key is the same, so no machine needs anything."
                    : $"The CA's certificate ends on {current.NotAfter:yyyy-MM-dd}; it is renewed from {from:yyyy-MM-dd} on. Nothing was changed.");
                words.WriteLine($"SHA-256 {current.Fingerprint}");
                if (isTime)
                {
                    words.WriteLine("A running wow-ca serve tells the machines within seconds. New machines get it by new images: copy the CA's folder, then wow pool backup --ca and wow pool stamp.");
                    words.WriteLine("Machines whose image is of a release without wow-ca renew-authority need a new configuration disk before the former end.");
                }
            },
            json =>
            {
                json.WriteBoolean("renewed", isTime);
                json.WriteString("not_after", current.NotAfter);
                json.WriteString("sha256", current.Fingerprint);
                json.WriteString("certificate", Convert.ToBase64String(current.Der.Span));
            });
        return Task.FromResult(ExitCode.Done);
    }
}
