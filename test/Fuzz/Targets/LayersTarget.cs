using System.Globalization;
using System.Net;
using System.Runtime.ExceptionServices;
using System.Security.Cryptography;
using System.Text;
using CaService;
using CaService.Est;
using CaService.Layers;
using CertificateProfile;
using Fuzz.Mutation;
using Microsoft.AspNetCore.Http;

namespace Fuzz.Targets;

/// <summary>
/// What the CA makes of a request for a layer; HTTP itself is the framework's. An input is lines: method, path, the range that is asked for, and whether
/// the CA is busy, or has a notice that is none. There is one layer, and nothing else of the CA's folder is ever sent.
/// </summary>
internal sealed class LayersTarget : FuzzTarget
{
    private static readonly byte[] Layer = [.. Enumerable.Range(0, 300).Select(number => (byte)number)];
    private static readonly string Digest = Convert.ToHexStringLower(SHA256.HashData(Layer));
    private static readonly string Path = Agreed.LayersPath + Digest, Held = Agreed.SeedersPath + Digest;
    private static readonly IPAddress Machine = new([127, 0, 0, 2]);
    private static readonly int[] Statuses = [200, 206, 404, 416, 503];

    private const string Busy = "busy", Rotten = "rotten";

    private readonly Lazy<Dictionary<string, LayerHandler>> _handlers = new(() => new[] { string.Empty, Busy, Rotten }.ToDictionary(how => how, Make));

    public override string Name => "layers";

    public override IMutator Mutator { get; } = new TextMutator(
    [
        "GET", "HEAD", "POST", Agreed.LayersPath, Agreed.SeedersPath, "..", "%2e%2e", "/", "ca.key", "stack.notice", "bytes=", "-", "0", "299", "300", "99999999999999999999", ",", "+", "\n", Busy, Rotten, new string('0', 64),
    ]);

    public override IEnumerable<Sample> Samples()
    {
        yield return new("whole", Ask("GET", Path));
        yield return new("rest", Ask("GET", Path, "bytes=200-"));
        yield return new("last", Ask("GET", Path, "bytes=299-"));
        yield return new("all", Ask("GET", Path, "bytes=300-"));
        yield return new("middle", Ask("GET", Path, "bytes=2-9"));
        yield return new("other", Ask("GET", Agreed.LayersPath + new string('0', 64)));
        yield return new("above", Ask("GET", Agreed.LayersPath + "../ca.key"));
        yield return new("busy", Ask("GET", Path, "\nbusy"));
        yield return new("rotten", Ask("GET", Path, "\nrotten"));
        yield return new("post", Ask("POST", Path));
        yield return new("held", Ask("POST", Held));
        yield return new("seeders", Ask("GET", Held));
        yield return new("seeders-other", Ask("POST", Agreed.SeedersPath + new string('0', 64)));
        yield return new("nowhere", Ask("GET", "/crl"));
    }

    public override int Run(byte[] input)
    {
        string[] lines = Encoding.Latin1.GetString(input).Split('\n', 4);
        var context = new DefaultHttpContext();
        using var answer = new MemoryStream();
        context.Request.Method = lines[0];
        context.Request.Path = new PathString("/" + lines.ElementAtOrDefault(1)?.TrimStart('/'));
        context.Request.Headers.Range = lines.ElementAtOrDefault(2);
        context.Connection.RemoteIpAddress = Machine;
        context.Response.Body = answer;
        string how = lines.ElementAtOrDefault(3) ?? string.Empty;
        Task work = _handlers.Value[_handlers.Value.ContainsKey(how) ? how : string.Empty].HandleAsync(context);
        Oracle.That(work.IsCompleted, "nothing waits but for who reads");
        if (work.Exception?.InnerException is { } exception)
        {
            ExceptionDispatchInfo.Throw(exception);
        }

        int status = context.Response.StatusCode;
        byte[] body = answer.ToArray();
        Oracle.That(Statuses.Contains(status), "the status is one of the documented ones");
        Oracle.That(body.Length == context.Response.ContentLength, "the answer has its length");
        bool isAsked = context.Request.Path == Held;
        Oracle.That(isAsked ? status is 200 or 404 : how is not (Busy or Rotten) || status is 404 or 503, "nothing is sent that can't be");
        Oracle.That(isAsked || status is not (200 or 206) || Layer.AsSpan().EndsWith(body), "the layer is sent, or its rest");
        Oracle.That(isAsked || status != 200 || body.Length == Layer.Length, "the whole is whole");
        Oracle.That(
            status != 206 || context.Response.Headers.ContentRange == string.Create(CultureInfo.InvariantCulture, $"bytes {Layer.Length - body.Length}-{Layer.Length - 1}/{Layer.Length}"),
            "a rest says which it is");
        return status + (1000 * body.Length);
    }

    private static byte[] Ask(string method, string path, string range = "") => Encoding.ASCII.GetBytes($"{method}\n{path}\n{range}");

    private static LayerHandler Make(string how)
    {
        string folder = System.IO.Path.Combine(Clone.Failures, $"ca-layers-{how}");
        if (Directory.Exists(folder))
        {
            Directory.Delete(folder, recursive: true);
        }

        CaFolder ca = PoolProfile.TryCreate("lab", "127.0.0.0/8", out PoolProfile? pool, out string reason)
            ? CaFolder.Create(folder, pool, TimeProvider.System.GetUtcNow())
            : throw new InvalidOperationException(reason);
        string digest = Digest;
        _ = PoolLayers.TryCreate(new string('b', 64), new string('c', 64), [new StackLayer("a", Layer.Length, digest)], out PoolLayers? stack, out _);
        Directory.CreateDirectory(System.IO.Path.Combine(folder, "layers"));
        File.WriteAllBytes(System.IO.Path.Combine(folder, "layers", digest), Layer);
        File.WriteAllBytes(System.IO.Path.Combine(folder, "stack.notice"), how == Rotten ? Layer : NoticeIssuer.Sign(ca.Key, PoolLayers.NoticeKind, 1, stack!.Write()));
        var settings = new ServeSettings(new IPEndPoint(IPAddress.Loopback, 0), "", "", 1) { MostDownloads = how == Busy ? 0 : 8 };
        return new LayerHandler(new StackFolder(ca, folder), settings, TimeProvider.System);
    }
}
