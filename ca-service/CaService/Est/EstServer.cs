using System.Net;
using System.Security.Authentication;
using CaService.Layers;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace CaService.Est;

/// <summary>
/// Kestrel around <see cref="EstHandler"/> and, on a port of its own without TLS, <see cref="LayerHandler"/>: limits, and nothing else of ASP.NET. Each port has its
/// own connections, so that no download keeps a machine from enrolling. Machines that fetch seal all that they send by IPsec; to who enrols the other port is open.
/// </summary>
internal sealed class EstServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly EstHandler _handler;
    private readonly ServerCertificate _certificate;
    private readonly List<NoticePublisher> _publishers = [];
    private readonly Pruner _pruner;

    /// <exception cref="UserError">The server's certificate can't be used.</exception>
    public EstServer(CaFolder ca, ServeSettings settings, TimeProvider time, Action<string> log)
    {
        ListedManagers? listed = settings.Managers is { } file ? new ListedManagers(ca, file, log) : null;
        _ = listed?.TryGet(out _);
        var desk = new EnrolmentDesk(ca, time, listed);
        var possession = new PossessionCheck(settings.Listen.Address, settings.PossessionPort);
        var revocations = new RevocationDesk(ca, time);
        var drained = new DrainDesk(ca, settings.Folder, time);
        HeardNotices? heard = settings.Notices is { } notices ? new HeardNotices(ca, revocations, drained, notices, log) : null;
        Hear(heard, log);
        _certificate = new ServerCertificate(settings, revocations, time, log);
        _pruner = new Pruner(ca.Database, time, log);
        var stack = new StackFolder(ca, settings.Folder);
        var layers = new LayerHandler(stack, settings, time);
        _handler = new EstHandler(desk, revocations, possession, settings, time, log);
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(options => Configure(options, settings, source => desk.IsMember(source)));
        _application = builder.Build();
        _application.Run(context => context.Request.IsHttps ? _handler.HandleAsync(context) : layers.HandleAsync(context));
        if (settings.Control is { } control)
        {
            _publishers.Add(NoticePublisher.OfRevocations(revocations, settings.Folder, control, time, log, heard));
            _publishers.Add(NoticePublisher.OfAuthority(ca, control, time, log, heard));
            _publishers.Add(NoticePublisher.OfKeys(stack.Keys, control, time, log));
            _publishers.Add(NoticePublisher.OfStack(stack, control, time, log));
            _publishers.Add(NoticePublisher.OfOrigins(new OriginsDesk(ca, stack, settings.Folder, time), control, time, log));
            _publishers.Add(NoticePublisher.OfDrained(drained, control, time, log, heard));
            _publishers.Add(NoticePublisher.OfTerm(new TermDesk(stack, settings.Folder, time), control, time, log));
        }
    }

    /// <summary>Where it listens, once started: the port is known even if 0 was asked for.</summary>
    public IPEndPoint Endpoint { get; private set; } = new(IPAddress.None, 0);

    /// <summary>The same of the layers.</summary>
    public IPEndPoint LayersEndpoint { get; private set; } = new(IPAddress.None, 0);

    /// <summary>Starts to listen.</summary>
    /// <exception cref="UserError">Address or port can't be had.</exception>
    public async Task StartAsync(CancellationToken cancellation)
    {
        try
        {
            await _application.StartAsync(cancellation);
        }
        catch (IOException e)
        {
            throw new UserError($"{e.Message} Give an address of this machine and a free port as --listen, and another as --layers-port.");
        }

        foreach (Uri url in _application.Urls.Select(url => new Uri(url)))
        {
            IPEndPoint endpoint = new(IPAddress.Parse(url.Host), url.Port);
            (Endpoint, LayersEndpoint) = url.Scheme == Uri.UriSchemeHttps ? (endpoint, LayersEndpoint) : (Endpoint, endpoint);
        }
    }

    /// <summary>Waits until SIGTERM or SIGINT.</summary>
    public Task WaitForStopAsync() => _application.WaitForShutdownAsync();

    public async ValueTask DisposeAsync()
    {
        foreach (NoticePublisher publisher in _publishers)
        {
            await publisher.DisposeAsync();
        }

        await _pruner.DisposeAsync();
        await _application.DisposeAsync();
        _certificate.Dispose();
    }

    /// <summary>Before the first list is signed. What can't be taken up now is tried again with each look of the publishers.</summary>
    private static void Hear(HeardNotices? heard, Action<string> log)
    {
        try
        {
            heard?.LookForAuthority();
            heard?.LookForRevoked();
            heard?.LookForDrained();
        }
        catch (Exception e) when (e is UserError or UnauthorizedAccessException || DiskFault.Is(e))
        {
            log($"heard refused={e.Message}");
        }
    }

    private void Configure(KestrelServerOptions options, ServeSettings settings, Func<IPAddress, bool> isMember)
    {
        options.AddServerHeader = false;
        options.Limits.MaxRequestBodySize = ServeSettings.MaxBodyBytes;
        options.Limits.MaxRequestHeadersTotalSize = 4096;
        options.Limits.MaxRequestLineSize = 1024;
        options.Limits.MaxConcurrentConnections = ServeSettings.MostConnections;
        options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(15);
        options.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(30);
        options.Listen(settings.Listen.Address, settings.LayersPort, listen => Bound(listen, isMember));
        options.Listen(settings.Listen, listen =>
        {
            Bound(listen, isMember);
            listen.UseHttps(https =>
            {
                https.ServerCertificateSelector = (_, _) => _certificate.Current;
                https.HandshakeTimeout = TimeSpan.FromSeconds(30);

                // strongSwan's EST client can't send over TLS 1.3.
                https.SslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13;

                // Any client certificate may be shown; simplereenroll believes only what the profile allows.
                https.ClientCertificateMode = ClientCertificateMode.AllowCertificate;
                https.ClientCertificateValidation = (_, _, _) => true;
                https.CheckCertificateRevocation = false;
            });
        });
    }

    /// <summary>
    /// What holds for each port: HTTP/1.1, and so many connections of one machine, counted before TLS begins. Where all that strangers may have are taken, a machine that
    /// has a certificate for its address gets one of those that are kept for such.
    /// </summary>
    private static void Bound(ListenOptions listen, Func<IPAddress, bool> isMember)
    {
        var all = new SourcePlaces(ServeSettings.MostConnections - ServeSettings.ConnectionsOfMembers, ServeSettings.MostConnectionsOfOne);
        var members = new SourcePlaces(ServeSettings.ConnectionsOfMembers, ServeSettings.MostConnectionsOfOne);
        listen.Protocols = HttpProtocols.Http1;
        listen.Use(next => connection =>
        {
            IPAddress source = ((IPEndPoint)connection.RemoteEndPoint!).Address;
            return ServeAsync(next, connection, source, all.TryTake(source) ? all : isMember(source) && members.TryTake(source) ? members : null);
        });
    }

    private static async Task ServeAsync(ConnectionDelegate next, ConnectionContext connection, IPAddress source, SourcePlaces? places)
    {
        if (places is null)
        {
            connection.Abort();
            return;
        }

        try
        {
            await next(connection);
        }
        finally
        {
            places.Give(source);
        }
    }
}
