using System.Diagnostics;
using System.Globalization;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>Programs of others: strongSwan's EST client, OpenSSL's verifier.</summary>
public sealed class ForeignToolsTests : AsyncTests
{
    // strongSwan's client can't choose its source address, and Linux answers for all of 127/8 from 127.0.0.1.
    private readonly TestCa _ca = new(manager: "127.78.0.4");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task StrongSwans_client_enrols_and_renews()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.0.0.1");
        string key = Write("machine.key", machine.Key.ExportPkcs8PrivateKeyPem());
        string request = Path.Combine(_ca.Folder, "request.der");
        string certificate = Path.Combine(_ca.Folder, "machine.pem");
        await File.WriteAllBytesAsync(request, EnrolmentRequest.Create(machine.Key, "alpha"));

        // 5.9 can't read address constraints in a CA certificate, so the server's own certificate is what it trusts.
        string[] common = ["--est", "--url", $"https://{_ca.Endpoint}", "--in", request, "--cacert", _ca.ManagerCertificate, "--outform", "pem"];
        using (new PossessionListener(machine.Key, machine.Address, _ca.PossessionPort))
        {
            await File.WriteAllTextAsync(certificate, await RunAsync("pki", [.. common, "--userpass", _ca.NewTicket()]));
            string again = await RunAsync("pki", [.. common, "--cert", certificate, "--key", key]);
            Assert.Equal(await File.ReadAllTextAsync(certificate), again);
        }

        Assert.True(CertificatePem.TryRead(await File.ReadAllTextAsync(certificate), out byte[]? der));
        Assert.Equal("alpha", machine.Read(der).HostName);
        Assert.Contains("reenrol", _ca.Log, StringComparison.Ordinal);
    }

    [Fact]
    public async Task StrongSwans_client_waits_for_the_administrator()
    {
        await _ca.StartAsync(settings => settings with { AskAgainAfter = TimeSpan.FromSeconds(1) });
        _ca.Ca.Database.Write(transaction => Admissions.Set(transaction, AdmissionPolicy.Manual, _ca.Time.GetUtcNow()));
        using var machine = new TestMachine(_ca, "127.0.0.1");
        string request = Path.Combine(_ca.Folder, "request.der");
        await File.WriteAllBytesAsync(request, EnrolmentRequest.Create(machine.Key, "alpha"));
        using var listener = new PossessionListener(machine.Key, machine.Address, _ca.PossessionPort);

        Task<string> enrolled = RunAsync("pki", ["--est", "--url", $"https://{_ca.Endpoint}", "--in", request, "--cacert", _ca.ManagerCertificate, "--outform", "pem"]);
        while (_ca.Count("SELECT count(*) FROM admissions") == 0 && !enrolled.IsCompleted)
        {
            await Task.Delay(50);
        }

        _ca.Ca.Database.Write(transaction => Admissions.Decide(transaction, NodeKey.AddressOf(machine.PublicKey), AdmissionState.Approved, _ca.Time.GetUtcNow()));
        Assert.True(CertificatePem.TryRead(await enrolled, out byte[]? der));
        Assert.Equal("alpha", machine.Read(der).HostName);
        Assert.Contains("status=202", _ca.Log, StringComparison.Ordinal);
    }

    [Fact]
    public async Task OpenSSL_believes_by_either_certificate_of_a_CA_that_renewed_its_own_and_past_the_former_end_by_the_new_one()
    {
        PoolAuthority former = _ca.Ca.Authority;
        DateTimeOffset late = former.NotAfter - TimeSpan.FromDays(10);
        byte[] der = CertificateIssuer.RenewAuthority(former, _ca.Ca.Key, late);
        Assert.True(PoolAuthority.TryRead(der, out PoolAuthority? renewed, out string reason), reason);
        using var machine = new TestMachine(_ca, "127.5.6.7");
        string MemberOf(PoolAuthority by, string name) => Write(name, CertificatePem.Write(CertificateIssuer.CreateMember(
            by, _ca.Ca.Key, machine.PublicKey, machine.Address, "alpha", MemberRole.Worker, late)));
        string before = MemberOf(former, "before.pem"), after = MemberOf(renewed, "after.pem");
        string old = Write("old.pem", CertificatePem.Write(former.Der.Span));
        string anew = Write("anew.pem", CertificatePem.Write(renewed.Der.Span));

        DateTimeOffset inside = late.AddDays(1), past = former.NotAfter.AddDays(1);
        Assert.True(await BelievesAsync(old, before, inside));
        Assert.True(await BelievesAsync(old, after, inside));
        Assert.True(await BelievesAsync(anew, before, inside));
        Assert.True(await BelievesAsync(anew, after, inside));
        Assert.True(await BelievesAsync(anew, after, past));
        Assert.False(await BelievesAsync(old, after, past));
        Assert.False(await BelievesAsync(anew, before, past));
    }

    [Fact]
    public async Task OpenSSL_believes_what_the_CA_signs_and_nothing_outside_its_subnet()
    {
        using var machine = new TestMachine(_ca, "127.5.6.7");
        string authority = Write("ca.pem", CertificatePem.Write(_ca.Ca.Authority.Der.Span));
        string certificate = Write("machine.pem", CertificatePem.Write(machine.Decide(_ca.NewTicket(), "alpha").Certificate!));

        Assert.Contains("OK", await RunAsync("openssl", ["verify", "-x509_strict", "-check_ss_sig", "-CAfile", authority, certificate]), StringComparison.Ordinal);
        string text = await RunAsync("openssl", ["x509", "-in", certificate, "-noout", "-text"]);
        Assert.Contains("Subject: O = lab, OU = worker, CN = alpha", text, StringComparison.Ordinal);
        Assert.Contains("IP Address:127.5.6.7", text, StringComparison.Ordinal);
        Assert.Contains("DNS:alpha.lab.internal", text, StringComparison.Ordinal);
        Assert.Contains("127.5.6.7/32", text, StringComparison.Ordinal);
        Assert.Contains("ipsec Internet Key Exchange", text, StringComparison.Ordinal);

        // The same CA key with a narrower certificate: what lies outside it is not believed.
        Assert.True(PoolProfile.TryCreate("lab", "127.9.0.0/16", out PoolProfile? narrow, out _));
        string other = Write("narrow.pem", CertificatePem.Write(CertificateIssuer.CreateAuthority(narrow, _ca.Ca.Key, _ca.Time.GetUtcNow())));
        Assert.NotEqual(0, (await StartAsync("openssl", ["verify", "-CAfile", other, certificate])).Code);
    }

    /// <summary>Whether OpenSSL believes a certificate by a CA's, both as files, at that time.</summary>
    private static async Task<bool> BelievesAsync(string authority, string certificate, DateTimeOffset at)
    {
        string seconds = at.ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
        string[] words = ["verify", "-x509_strict", "-check_ss_sig", "-attime", seconds, "-CAfile", authority, certificate];
        return (await StartAsync("openssl", words)).Code == 0;
    }

    private string Write(string name, string contents)
    {
        string path = Path.Combine(_ca.Folder, name);
        File.WriteAllText(path, contents);
        return path;
    }

    private static async Task<string> RunAsync(string program, string[] arguments)
    {
        (int code, string output, string error) = await StartAsync(program, arguments);
        Assert.True(code == 0, $"{program} {string.Join(' ', arguments)}: {code}\n{error}");
        return output;
    }

    private static async Task<(int Code, string Output, string Error)> StartAsync(string program, string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(60));
        return (process.ExitCode, await output, error);
    }
}
