using System.Net;
using System.Security.Cryptography;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>A machine with a key, at a loopback address.</summary>
internal sealed class TestMachine(TestCa ca, string address) : IDisposable
{
    public ECDsa Key { get; } = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public IPAddress Address { get; } = IPAddress.Parse(address);

    public byte[] PublicKey => Key.ExportSubjectPublicKeyInfo();

    public Ask Ask(string? ticket, string? name = null, byte[]? old = null) => new(PublicKey, Address, name, ticket, old);

    /// <summary>Asks without a network, as a server would that has checked everything else.</summary>
    public Decision Decide(string? ticket, string? name = null, byte[]? old = null) => ca.Desk.Decide(Ask(ticket, name, old));

    /// <summary>A certificate for this key and address that was made in a copy of the CA's folder, so that the CA has no row of it.</summary>
    public byte[] MadeInCopy(string host, MemberRole role = MemberRole.Manager) =>
        CertificateIssuer.CreateMember(ca.Ca.Authority, ca.Ca.Key, PublicKey, Address, host, role, ca.Time.GetUtcNow());

    public MemberInfo Read(byte[]? der)
    {
        Assert.NotNull(der);
        Assert.True(ca.Ca.Authority.TryVerify(der, ca.Time.GetUtcNow(), out MemberInfo? info, out string reason), reason);
        return info;
    }

    /// <summary>Asks the server, answering its possession check with <paramref name="answering"/>, by default the own key.</summary>
    public async Task<EnrollReply> EnrolAsync(string? ticket, string? name = null, byte[]? old = null, ECDsa? answering = null)
    {
        using var listener = new PossessionListener(answering ?? Key, Address, ca.PossessionPort);
        return await EnrolWithoutListenerAsync(ticket, name, old);
    }

    public Task<EnrollReply> EnrolWithoutListenerAsync(string? ticket, string? name = null, byte[]? old = null) =>
        OwnThread.Run(() => new EstClient(ca.Ca.Authority, Key, Address, ca.Endpoint, ca.Time).Enrol(EnrolmentRequest.Create(Key, name), ticket, old));

    public void Dispose() => Key.Dispose();
}
