using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>The disk of the CA takes nothing more: what machines are told, and what the log has.</summary>
public sealed class FullDiskTests : AsyncTests
{
    private const string Full = "database or disk is full";

    private readonly TestCa _ca = new(manager: "127.83.0.1");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task A_machine_that_enrols_is_told_to_come_again_and_the_log_says_why()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.83.0.2");
        string ticket = _ca.NewTicket();
        Refuse("certificates");
        EnrollReply reply = await machine.EnrolAsync(ticket);
        Assert.Equal(EnrolmentStatus.Busy, reply.Status);
        Assert.Contains("Its disk may be full", reply.Text, StringComparison.Ordinal);
        Assert.Matches($"enrol node=[0-9a-f]{{40}} reason=.*{Full}", _ca.Log);
        Assert.Contains("enrol address=127.83.0.2", _ca.Log, StringComparison.Ordinal);

        // What it shows in the handshake cannot be noted either.
        Assert.Equal(EnrolmentStatus.Busy, (await machine.EnrolAsync(null, null, machine.MadeInCopy("second", MemberRole.Worker))).Status);
        Assert.Matches($"learn refused=.*{Full}", _ca.Log);

        _ca.Ca.Database.Write(transaction => transaction.Run("DROP TRIGGER full"));
        Assert.Equal(200, (await machine.EnrolAsync(ticket)).Status);
    }

    [Fact]
    public async Task Who_asks_for_the_list_of_revoked_ones_is_told_so_too()
    {
        await _ca.StartAsync();
        Refuse("revocation_lists");
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (_, _, _, _) => true };
        using var client = new HttpClient(handler);
        using HttpResponseMessage reply = await client.GetAsync(new Uri($"https://{_ca.Endpoint}/crl"));
        Assert.Equal(HttpStatusCode.ServiceUnavailable, reply.StatusCode);
        Assert.Contains("Its disk may be full", await reply.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Matches($"crl status=503 reason=.*{Full}", _ca.Log);
    }

    [Fact]
    public async Task The_server_takes_its_own_renewed_certificate_all_the_same()
    {
        using (ECDsa key = NodeKey.LoadOrCreate(_ca.ManagerKey))
        {
            byte[] der = CertificateIssuer.CreateMember(
                _ca.Ca.Authority, _ca.Ca.Key, key.ExportSubjectPublicKeyInfo(), _ca.ManagerAddress, "manager", MemberRole.Manager, _ca.Time.GetUtcNow());
            NodeCertificateFile.Write(_ca.ManagerCertificate, der);
        }

        Refuse("certificates");
        await _ca.StartAsync();
        Assert.Matches($"learn refused=.*{Full}", _ca.Log);
        await using SslStream stream = await _ca.SecureAsync();
        Assert.True(stream.IsAuthenticated);
    }

    private void Refuse(string table) =>
        _ca.Ca.Database.Write(transaction => transaction.Run($"CREATE TRIGGER full BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, '{Full}'); END"));
}
