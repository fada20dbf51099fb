using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using CaService.Est;
using CertificateProfile;

namespace CaService.Tests;

/// <summary>A CA in a folder of its own, on request with a server on a loopback address.</summary>
internal sealed class TestCa : IAsyncDisposable
{
    private readonly List<string> _log = [];
    private EstServer? _server;

    public TestCa(string subnet = "127.0.0.0/8", string manager = "127.77.0.1")
    {
        Folder = Directory.CreateTempSubdirectory("wow-ca").FullName;
        Assert.True(PoolProfile.TryCreate("lab", subnet, out PoolProfile? pool, out string reason), reason);
        Ca = CaFolder.Create(StateFolder, pool, Time.GetUtcNow());
        Desk = new EnrolmentDesk(Ca, Time, new ListedManagers(Ca, ListFile, Note));
        ManagerAddress = IPAddress.Parse(manager);
        PossessionPort = FreePort();
    }

    public TestTime Time { get; } = new();

    public string Folder { get; }

    public string StateFolder => Path.Combine(Folder, "ca");

    public string ManagerCertificate => Path.Combine(Folder, "node.pem");

    public string ManagerKey => Path.Combine(Folder, "node.key");

    /// <summary>The list of managers, where ipopd would keep it; not there at first.</summary>
    public string ListFile => Path.Combine(Folder, "notice-2");

    public CaFolder Ca { get; }

    /// <summary>The server, once started.</summary>
    public object Server => _server!;

    public EnrolmentDesk Desk { get; }

    public IPAddress ManagerAddress { get; }

    public int PossessionPort { get; }

    public IPEndPoint Endpoint { get; private set; } = new(IPAddress.None, 0);

    public IPEndPoint LayersEndpoint { get; private set; } = new(IPAddress.None, 0);

    public string Log
    {
        get
        {
            lock (_log)
            {
                return string.Join('\n', _log);
            }
        }
    }

    public string NewTicket(int uses = 100, TimeSpan? life = null) => Ca.Database.Write(transaction =>
        Tickets.Create(transaction, Ca.TicketKey, uses, Time.GetUtcNow() + (life ?? TimeSpan.FromDays(365)), Time.GetUtcNow()));

    public long Count(string sql) => Ca.Database.Read(transaction => transaction.First(sql, row => row.GetInt64(0)));

    /// <summary>Puts a list where ipopd would.</summary>
    public void TakeList(ulong number, string lines, ECDsa? key = null) =>
        File.WriteAllBytes(ListFile, NoticeIssuer.Sign(key ?? Ca.Key, ManagerList.NoticeKind, number, Encoding.ASCII.GetBytes("wow-managers 1\n" + lines)));

    public void MakeManager()
    {
        using ECDsa key = NodeKey.LoadOrCreate(ManagerKey);
        NodeCertificateFile.Write(ManagerCertificate, Desk.IssueByHand(key.ExportSubjectPublicKeyInfo(), ManagerAddress, "manager", MemberRole.Manager));
    }

    public async Task StartAsync(Func<ServeSettings, ServeSettings>? change = null, int port = 0)
    {
        if (!File.Exists(ManagerCertificate))
        {
            MakeManager();
        }

        var settings = new ServeSettings(new IPEndPoint(ManagerAddress, port), ManagerCertificate, ManagerKey, PossessionPort)
        {
            Burst = 1000,
            PossessionTimeout = TimeSpan.FromSeconds(5),
            Managers = ListFile,
            Folder = StateFolder,
            LayersPort = 0,
        };
        _server = new EstServer(Ca, change?.Invoke(settings) ?? settings, Time, Note);
        await _server.StartAsync(CancellationToken.None);
        (Endpoint, LayersEndpoint) = (_server.Endpoint, _server.LayersEndpoint);
    }

    public async Task StopAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
            _server = null;
        }
    }

    /// <summary>A connection of a machine to the server.</summary>
    public async Task<Socket> ConnectAsync(string from = "127.78.0.2")
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Parse(from), 0));
        await socket.ConnectAsync(Endpoint);
        return socket;
    }

    /// <summary>The same with TLS, to a server that shows a certificate of this CA.</summary>
    public async Task<SslStream> SecureAsync()
    {
        var network = new NetworkStream(await ConnectAsync(), ownsSocket: true);
        var stream = new SslStream(network, false, (_, shown, _, _) => Ca.Authority.TryVerify(shown!.GetRawCertData(), Time.GetUtcNow(), out MemberInfo? _, out string _));
        await stream.AuthenticateAsClientAsync("manager.lab.internal");
        return stream;
    }

    public static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        Ca.Dispose();
        Directory.Delete(Folder, recursive: true);
    }

    private void Note(string line)
    {
        lock (_log)
        {
            _log.Add(line);
        }
    }
}
