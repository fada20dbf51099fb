using System.Net;
using System.Runtime.ExceptionServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CaService;
using CaService.Est;
using CertificateProfile;
using Fuzz.Mutation;
using Microsoft.AspNetCore.Http;

namespace Fuzz.Targets;

/// <summary>
/// What the CA makes of an HTTP request, from its path to the answer; HTTP itself is the framework's. An input is a byte that says whether the
/// body is signed and put into base64 first, whether the asker shows a certificate and whose, whether its address is one of the pool, and whether it asks a CA
/// that has it wait for the administrator; then lines: method, path, authorization, and the body after them.
/// </summary>
internal sealed class EstTarget : FuzzTarget
{
    private const byte Signs = 1, ShowsOwn = 2, ShowsForeign = 4, IsStranger = 8, Waits = 16;
    private const string EcdsaWithSha256 = "1.2.840.10045.4.3.2";

    private static readonly int[] Statuses = [200, 202, 401, 403, 404, 405, 409, 422];

    private static readonly IPAddress Stranger = IPAddress.Parse("192.0.2.7");

    private readonly Lazy<(EstHandler Handler, EstHandler Waiting, X509Certificate2 Own, X509Certificate2 Foreign)> _desk = new(Make);

    public override string Name => "est";

    public override int Weight => 3;

    public override int LongestInput => 12_000;

    public override IMutator Mutator { get; } = new TaggedMutator(new TextMutator(
    [
        "GET", "POST", "PUT", "/.well-known/est/", "cacerts", "simpleenroll", "simplereenroll", "csrattrs", "Basic ", "Basic YWI6Y2Q=", "=", "\n", "\n\n", "0", "%2e", "..",
    ]));

    public override IEnumerable<Sample> Samples()
    {
        byte[] request = CertificateSamples.Signed(EnrolmentRequest.Create(CertificateSamples.NodeKey, "alpha"));
        byte[] head = "POST\n/.well-known/est/simpleenroll\nBasic YWIxMjpzZWNyZXQ=\n"u8.ToArray();
        yield return new("enrol", [Signs, .. head, .. request]);
        yield return new("no-ticket", [Signs, .. "POST\n/.well-known/est/simpleenroll\n\n"u8, .. request]);
        yield return new("waits", [Signs | Waits, .. "POST\n/.well-known/est/simpleenroll\n\n"u8, .. request]);
        yield return new("renew", [Signs, .. "POST\n/.well-known/est/simplereenroll\n\n"u8, .. request]);
        yield return new("renew-with-certificate", [Signs | ShowsOwn, .. "POST\n/.well-known/est/simplereenroll\n\n"u8, .. request]);
        yield return new("renew-with-foreign", [Signs | ShowsForeign, .. "POST\n/.well-known/est/simplereenroll\n\n"u8, .. request]);
        yield return new("stranger", [Signs | IsStranger, .. head, .. request]);
        yield return new("revocations", [0, .. "GET\n/crl\n\n"u8]);
        yield return new("zero-in-path", [0, .. "GET\n/%00\n\n"u8]);
        yield return new("not-base64", [0, .. head, .. "MIIB*"u8]);
        yield return new("no-request", [0, .. head, .. "MIIBAAAA"u8]);
        yield return new("certificates", [0, .. "GET\n/.well-known/est/cacerts\n\n"u8]);
        yield return new("nowhere", [0, .. "GET\n/\n\n"u8]);
    }

    public override int Run(byte[] input)
    {
        byte[][] lines = Lines(input.Length == 0 ? [] : input[1..]);
        byte[] body = lines[3];
        if (input.Length > 0 && (input[0] & Signs) != 0)
        {
            body = Encoding.ASCII.GetBytes(
                Convert.ToBase64String(CertificateSamples.Sign(body, CertificateSamples.NodeKey, HashAlgorithmName.SHA256, EcdsaWithSha256)));
        }

        if (ReadPath(lines[1]) is not { } path)
        {
            return 0;
        }

        var context = new DefaultHttpContext();
        using var answer = new MemoryStream();
        context.Request.Method = Encoding.Latin1.GetString(lines[0]);
        context.Request.Path = path;
        context.Request.Headers.Authorization = Encoding.Latin1.GetString(lines[2]);
        context.Request.Body = new MemoryStream(body);
        context.Request.ContentLength = body.Length;
        byte who = input.Length == 0 ? (byte)0 : input[0];
        context.Connection.RemoteIpAddress = (who & IsStranger) != 0 ? Stranger : IPAddress.Loopback;
        context.Connection.ClientCertificate = (who & ShowsOwn) != 0 ? _desk.Value.Own : (who & ShowsForeign) != 0 ? _desk.Value.Foreign : null;
        context.Response.Body = answer;
        Task work = ((who & Waits) != 0 ? _desk.Value.Waiting : _desk.Value.Handler).HandleAsync(context);
        Oracle.That(work.IsCompleted, "who has no ticket costs no waiting, and neither does who was told to wait");
        if (work.Exception?.InnerException is { } exception)
        {
            ExceptionDispatchInfo.Throw(exception);
        }

        int status = context.Response.StatusCode;
        Oracle.That(Statuses.Contains(status), "the status is one of the documented ones");
        Oracle.That(status != 200 || HttpMethods.IsGet(context.Request.Method), "nobody gets a certificate without a ticket");
        Oracle.That(answer.Length == context.Response.ContentLength && answer.Length < 2048, "the answer is short and has its length");
        return status + (1000 * (int)answer.Length);
    }

    /// <summary>The path as the web server hands it on; null if it answers 400 by itself, as to %00.</summary>
    private static PathString? ReadPath(byte[] line)
    {
        try
        {
            return PathString.FromUriComponent("/" + Encoding.Latin1.GetString(line).TrimStart('/'));
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    private static byte[][] Lines(byte[] input)
    {
        byte[][] lines = [[], [], [], []];
        for (int i = 0; i < 3; i++)
        {
            int end = input.AsSpan().IndexOf((byte)'\n');
            lines[i] = end < 0 ? input : input[..end];
            input = end < 0 ? [] : input[(end + 1)..];
        }

        lines[3] = input;
        return lines;
    }

    private static (EstHandler Handler, EstHandler Waiting, X509Certificate2 Own, X509Certificate2 Foreign) Make()
    {
        TimeProvider time = TimeProvider.System;
        CaFolder ca = MakeFolder("ca", time);
        CaFolder strict = MakeFolder("ca-waiting", time);

        // The key of all samples has proved its address and was told to wait; so it stays, for no time passes there.
        var stopped = new StoppedTime(time.GetUtcNow());
        byte[] key = CertificateSamples.NodeKey.ExportSubjectPublicKeyInfo();
        strict.Database.Write(transaction => Admissions.Set(transaction, AdmissionPolicy.Manual, stopped.GetUtcNow())
            && Admissions.Wait(transaction, NodeKey.AddressOf(key), IPAddress.Loopback, null, null, stopped.GetUtcNow()));

        // Of another address than it asks from, so that nothing is renewed, which would have the CA ask back.
        byte[] own = CertificateIssuer.CreateMember(ca.Authority, ca.Key, key, IPAddress.Parse("127.3.4.5"), "alpha", MemberRole.Worker, time.GetUtcNow());
        return (
            MakeHandler(ca, time),
            MakeHandler(strict, stopped),
            X509CertificateLoader.LoadCertificate(own),
            X509CertificateLoader.LoadCertificate(CertificateSamples.Member(MemberRole.Worker)));
    }

    private static CaFolder MakeFolder(string name, TimeProvider time)
    {
        string folder = Path.Combine(Clone.Failures, name);
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }

        return PoolProfile.TryCreate("lab", "127.0.0.0/8", out PoolProfile? pool, out string reason)
            ? CaFolder.Create(folder, pool, time.GetUtcNow())
            : throw new InvalidOperationException(reason);
    }

    private static EstHandler MakeHandler(CaFolder ca, TimeProvider time)
    {
        var settings = new ServeSettings(new IPEndPoint(IPAddress.Loopback, 0), "", "", 1) { Burst = int.MaxValue, PossessionTimeout = TimeSpan.FromSeconds(1) };
        return new EstHandler(new EnrolmentDesk(ca, time), new RevocationDesk(ca, time), new PossessionCheck(IPAddress.Loopback, 1), settings, time, _ => { });
    }

    private sealed class StoppedTime(DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;
    }
}
