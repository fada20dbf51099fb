using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca init</c>: makes a pool's CA.</summary>
internal static class InitCommand
{
    public static int Run(string[] args, TextWriter output, TimeProvider time)
    {
        Options options = Options.Read(args, ["state", "pool", "subnet"]);
        string state = options.Get("state");
        if (!PoolProfile.TryCreate(options.Get("pool"), options.Get("subnet"), out PoolProfile? pool, out string reason))
        {
            throw new UserError(reason);
        }

        using CaFolder ca = CaFolder.Create(state, pool, time.GetUtcNow());
        output.WriteLine($"CA of pool {pool.Name}, subnet {pool.Subnet}, valid until {ca.Authority.NotAfter:yyyy-MM-dd}, in {state}");
        output.WriteLine($"SHA-256 {ca.Authority.Fingerprint}");
        output.WriteLine("For pool.conf, section ca:");
        output.WriteLine($"certificate = {Convert.ToBase64String(ca.Authority.Der.Span)}");
        return 0;
    }
}
