using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca init</c>: makes a pool's CA.</summary>
internal static class InitCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        string state = options.Get("state");
        if (!PoolProfile.TryCreate(options.Get("pool"), options.Get("subnet"), out PoolProfile? pool, out string reason))
        {
            throw new UserError(reason);
        }

        if (pool.Subnet.KeptFor() is { } use)
        {
            throw new UserError($"The subnet {pool.Subnet} is kept for {use}: choose one like 10.128.0.0/16.");
        }

        using CaFolder ca = CaFolder.Create(state, pool, time.GetUtcNow());
        string certificate = Convert.ToBase64String(ca.Authority.Der.Span);
        reply.Say(
            words =>
            {
                words.WriteLine($"CA of pool {pool.Name}, subnet {pool.Subnet}, valid until {ca.Authority.NotAfter:yyyy-MM-dd}, in {state}");
                words.WriteLine($"SHA-256 {ca.Authority.Fingerprint}");
                words.WriteLine("For pool.conf, section ca:");
                words.WriteLine($"certificate = {certificate}");
            },
            json =>
            {
                json.WriteString("pool", pool.Name);
                json.WriteString("subnet", pool.Subnet.ToString());
                json.WriteString("not_after", ca.Authority.NotAfter);
                json.WriteString("sha256", ca.Authority.Fingerprint);
                json.WriteString("certificate", certificate);
            });
        return Task.FromResult(ExitCode.Done);
    }
}
