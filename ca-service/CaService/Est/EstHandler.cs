using System.Buffers;
using System.Globalization;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CertificateProfile;

namespace CaService.Est;

/// <summary>
/// Enrolment over secure transport (RFC 7030 with the clarifications of RFC 8951): <c>cacerts</c>, <c>simpleenroll</c>,
/// <c>simplereenroll</c>; beside it the CRL at <c>/crl</c> (RFC 5280). Answers are short, with a length and few headers, because strongSwan's client reads no others.
/// </summary>
internal sealed class EstHandler(
    EnrolmentDesk desk, RevocationDesk revocations, PossessionCheck possession, ServeSettings settings, TimeProvider time, Action<string> log)
{
    private const string Root = "/.well-known/est/";
    private const string ListPath = "/crl";
    private readonly SourceLimiter _limiter = new(settings.Burst, settings.RefillEvery, time);

    // A line for each would be as many as somebody sends, and the log would have room for nothing else.
    private readonly SourceLimiter _tellings = new(burst: 1, TimeSpan.FromMinutes(1), time);
    private readonly SourcePlaces _places = new(settings.MaxConcurrent, ServeSettings.MostEnrolmentsOfOne);
    private readonly SourcePlaces _renewals = new(settings.MaxConcurrent, ServeSettings.MostEnrolmentsOfOne);

    /// <summary>Answers one request.</summary>
    public async Task HandleAsync(HttpContext context)
    {
        string path = context.Request.Path.Value ?? string.Empty;
        if (path == ListPath && HttpMethods.IsGet(context.Request.Method))
        {
            await SendListAsync(context);
            return;
        }

        string operation = path.StartsWith(Root, StringComparison.Ordinal) ? path[Root.Length..] : string.Empty;
        switch (operation)
        {
            case "cacerts" when HttpMethods.IsGet(context.Request.Method):
                await SendCertificatesAsync(context, desk.Authority.Der.ToArray());
                break;
            case "simpleenroll" or "simplereenroll" when HttpMethods.IsPost(context.Request.Method):
                await EnrolAsync(context, isRenewal: operation == "simplereenroll");
                break;
            case "cacerts" or "simpleenroll" or "simplereenroll":
                await SendTextAsync(context, 405, "Use GET for cacerts and POST for simpleenroll and simplereenroll.");
                break;
            default:
                await SendTextAsync(context, 404, $"Nothing is here but {ListPath} and {Root}cacerts, simpleenroll and simplereenroll.");
                break;
        }
    }

    // RFC 2585 section 4.2 names the type. The first list is signed here, which a flood shall not do.
    private async Task SendListAsync(HttpContext context)
    {
        if (!_limiter.TryTake(context.Connection.RemoteIpAddress!.MapToIPv4()))
        {
            await SendTextAsync(context, EnrolmentStatus.TooMany, "You ask too often: wait a few seconds.");
            return;
        }

        byte[]? list = await DiskFault.TryAsync(() => Task.FromResult(revocations.Current().Der), log, $"crl status={EnrolmentStatus.Busy}");
        await (list is null ? SendTextAsync(context, EnrolmentStatus.Busy, DiskFault.Text) : HttpAnswer.SendAsync(context, 200, "application/pkix-crl", list));
    }

    private async Task EnrolAsync(HttpContext context, bool isRenewal)
    {
        IPAddress source = context.Connection.RemoteIpAddress!.MapToIPv4();
        (Decision decision, string node) = _limiter.TryTake(source)
            ? await ReadAsync(context, source, isRenewal)
            : (new Decision(EnrolmentStatus.TooMany, $"{source} asks too often: wait a few seconds."), "-");

        if (decision.Status != EnrolmentStatus.TooMany || _tellings.TryTake(source))
        {
            log($"{(isRenewal ? "reenrol" : "enrol")} address={source} node={node} status={decision.Status} {decision.Text}");
        }

        if (decision.Certificate is byte[] certificate)
        {
            await SendCertificatesAsync(context, certificate);
        }
        else
        {
            await SendTextAsync(context, decision.Status, decision.Text);
        }
    }

    private async Task<(Decision Decision, string Node)> ReadAsync(HttpContext context, IPAddress source, bool isRenewal)
    {
        // Before it takes a place: who sends slowly keeps one of his own connections busy, and nobody else.
        byte[]? body = await ReadBodyAsync(context.Request);
        Shown shown = Verify(context.Connection.ClientCertificate);
        SourcePlaces places = await PlacesForAsync(shown, source, isRenewal);
        if (!places.TryTake(source))
        {
            return (new Decision(EnrolmentStatus.Busy, "Too many machines enrol at this moment: try again in a few seconds."), "-");
        }

        try
        {
            return await DecideAsync(context, body, shown, source, isRenewal, places.AreScarce ? settings.ShortPossessionTimeout : settings.PossessionTimeout);
        }
        finally
        {
            places.Give(source);
        }
    }

    /// <summary>Who renews, and proved in the handshake that he belongs to the pool, has places that strangers cannot take. Where the disk does not say, his are theirs.</summary>
    private async Task<SourcePlaces> PlacesForAsync(Shown shown, IPAddress source, bool isRenewal) =>
        isRenewal && shown.Info is { } info
            ? await DiskFault.TryAsync(() => Task.FromResult(desk.IsMember(info, source) ? _renewals : _places), log, $"reenrol address={source}") ?? _places
            : _places;

    private async Task<(Decision Decision, string Node)> DecideAsync(
        HttpContext context, byte[]? body, Shown shown, IPAddress source, bool isRenewal, TimeSpan patience)
    {
        if (body is null || !TryDecode(body, out byte[] der))
        {
            return (new Decision(
                EnrolmentStatus.BadRequest, $"The body is not a base64 PKCS#10 request of at most {ServeSettings.MaxBodyBytes} bytes."), "-");
        }

        if (!EnrolmentRequest.TryRead(der, out EnrolmentRequest? request, out string reason))
        {
            return (new Decision(EnrolmentStatus.BadRequest, reason), "-");
        }

        string node = NodeKey.AddressOf(request.PublicKey.Span);
        Decision? decision = await DiskFault.TryAsync(() => AdmitAsync(context, request, shown, source, isRenewal, patience), log, $"enrol node={node}");
        return (decision ?? new Decision(EnrolmentStatus.Busy, DiskFault.Text), node);
    }
    private async Task<Decision> AdmitAsync(
        HttpContext context, EnrolmentRequest request, Shown shown, IPAddress source, bool isRenewal, TimeSpan patience)
    {
        if (!desk.Authority.Pool.IsHostAddress(source))
        {
            return new Decision(EnrolmentStatus.BadRequest, $"{source} is not an address of the pool's subnet {desk.Authority.Pool.Subnet}: enrol over the overlay.");
        }

        Learn(shown);
        if (isRenewal && FindFaultOfClient(shown, request, source) is string fault)
        {
            return new Decision(EnrolmentStatus.NotAdmitted, fault);
        }

        string? ticket = isRenewal ? null : BasicCredentials.Read(context.Request.Headers.Authorization);
        var ask = new Ask(request.PublicKey, source, request.WantedName, ticket, isRenewal ? shown.Der : null);
        if (desk.Examine(ask) is Decision refused)
        {
            return refused;
        }

        return await possession.FindFaultAsync(request.PublicKey, source, patience, context.RequestAborted) is string unproved
            ? new Decision(EnrolmentStatus.BadRequest, unproved)
            : desk.Decide(ask);
    }

    /// <summary>Notes what the machine showed in the handshake, which proved that it has the key: also that of who is refused.</summary>
    private void Learn(Shown shown)
    {
        try
        {
            if (shown.Info is not null && revocations.Learn(shown.Info, shown.Der!) is string learned)
            {
                log(learned);
            }
        }
        catch (Exception e) when (e is UserError || DiskFault.Is(e))
        {
            log($"learn refused={e.Message}");
        }
    }

    private Shown Verify(X509Certificate2? client)
    {
        if (client is null)
        {
            return default;
        }

        byte[] der = client.RawData;
        desk.Authority.TryVerify(der, time.GetUtcNow(), out MemberInfo? info, out string reason);
        return new Shown(der, info, reason);
    }

    private static string? FindFaultOfClient(Shown client, EnrolmentRequest request, IPAddress source) =>
        client.Der is null ? "simplereenroll needs the old certificate in the TLS handshake: give it, or use simpleenroll with a ticket."
        : client.Info is not { } info ? $"The old certificate is not accepted ({client.Reason}): use simpleenroll with a ticket."
        : !info.Address.Equals(source) || !info.PublicKey.Span.SequenceEqual(request.PublicKey.Span)
            ? "A renewal is for the same key and address: use simpleenroll with a ticket for others."
        : null;

    private static async Task<byte[]?> ReadBodyAsync(HttpRequest request)
    {
        if (request.ContentLength is null or <= 0 or > ServeSettings.MaxBodyBytes)
        {
            return null;
        }

        byte[] body = new byte[(int)request.ContentLength];
        await request.Body.ReadExactlyAsync(body, request.HttpContext.RequestAborted);
        return body;
    }

    // Base64 whatever Content-Transfer-Encoding says (RFC 8951 section 3.1).
    private static bool TryDecode(byte[] body, out byte[] der)
    {
        der = new byte[body.Length];
        if (System.Buffers.Text.Base64.DecodeFromUtf8(body, der, out _, out int length) != OperationStatus.Done)
        {
            return false;
        }

        der = der[..length];
        return true;
    }

    private static Task SendCertificatesAsync(HttpContext context, byte[] certificate)
    {
        // One line: strongSwan 5.9's base64 reader takes line breaks for data (RFC 4648 section 3.1 wants none either).
        string body = Convert.ToBase64String(CertsOnly.Write(certificate));
        context.Response.Headers["Content-Transfer-Encoding"] = "base64";
        return HttpAnswer.SendAsync(context, 200, "application/pkcs7-mime", Encoding.ASCII.GetBytes(body));
    }

    private Task SendTextAsync(HttpContext context, int status, string text)
    {
        if (status == EnrolmentStatus.NotAdmitted)
        {
            context.Response.Headers.WWWAuthenticate = "Basic realm=\"wow\"";
        }
        else if (status is EnrolmentStatus.TooMany or EnrolmentStatus.Busy)
        {
            context.Response.Headers.RetryAfter = "5";
        }
        else if (status == EnrolmentStatus.Waiting)
        {
            // RFC 7030 section 4.2.3 asks for it.
            context.Response.Headers.RetryAfter = settings.AskAgainAfter.TotalSeconds.ToString("0", CultureInfo.InvariantCulture);
        }

        return HttpAnswer.SendTextAsync(context, status, text);
    }

    /// <summary>What the machine showed in the handshake, verified once.</summary>
    /// <param name="Der">The certificate; null if it showed none.</param>
    /// <param name="Info">What it says, if it is this CA's and valid.</param>
    /// <param name="Reason">Why it is not.</param>
    private readonly record struct Shown(byte[]? Der, MemberInfo? Info, string Reason);
}
