namespace Ipop.Linux.Tcp;

/// <summary>The two contexts of TLS that all connections share, each made at its first use.</summary>
internal sealed class TlsContexts : IDisposable
{
    private SslContextHandle? _client;
    private SslContextHandle? _server;

    public SslContextHandle Client => _client ??= TlsContext.CreateClient();

    public SslContextHandle Server => _server ??= TlsContext.CreateServer();

    public void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }
}
