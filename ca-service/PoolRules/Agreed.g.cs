// Made of docs/contract/constants.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace PoolRules;

/// <summary>Numbers and words that programs in several languages, or several machines, must agree on.</summary>
public static class Agreed
{
    /// <summary>TCP port of the CA on the manager, unless the configuration says another.</summary>
    public const int CaPort = 8443;

    /// <summary>TCP port on which a machine proves to the CA that it has its address, unless the configuration says another.</summary>
    public const int PossessionPort = 8444;

    /// <summary>TCP port that all daemons of HTCondor on a machine share.</summary>
    public const int CondorPort = 9618;

    /// <summary>Port of an administrator's computer that ssh forwards to the page of the manager with the CA, unless he types another.</summary>
    public const int AdminPagePort = 4481;

    /// <summary>Where nodes of one network find each other: a group of the local scope (RFC 2365 section 6.1) that ends in "WO" in ASCII.</summary>
    public const string MulticastGroup = "239.255.87.79";

    /// <summary>
    /// The same for IPv6: site-local scope, transient, of the numbers that anybody may take (RFC 4291 section 2.7, RFC 3307 section 4.3), with "WOW"
    /// in ASCII.
    /// </summary>
    public const string MulticastGroup6 = "ff15::8057:4f57";

    /// <summary>UDP port of both groups, whatever the overlay's own port is.</summary>
    public const int MulticastPort = 4433;

    /// <summary>Firewall mark (SO_MARK) of the overlay's own sockets, whatever their ports: "WOW" in ASCII.</summary>
    public const int OverlayMark = 0x574f57;

    /// <summary>TCP port on which the overlay listens beside its own number where [tcp] ports is auto: networks that block UDP let it out.</summary>
    public const int HttpsPort = 443;

    /// <summary>Protocol of the routes that ipopd makes (`ip route show proto 87`).</summary>
    public const int RouteProtocol = 87;

    /// <summary>MTU that DHCP hands out on it, unless the configuration says another.</summary>
    public const int TapMtu = 1280;

    /// <summary>A pool's DNS zone is its name with this behind it: the domain that ICANN keeps for private use.</summary>
    public const string ZoneSuffix = ".internal";

    /// <summary>The manager's second name in the zone; only a manager's certificate has it.</summary>
    public const string ManagerLabel = "manager";

    /// <summary>Label in the zone of the machine that has the CA, where others enrol; no certificate has it.</summary>
    public const string AuthorityLabel = "ca";

    /// <summary>Managers of a pool: each machine tells all of them of itself.</summary>
    public const int MostManagers = 8;

    /// <summary>The zone's name server: ipopd's own address beside each tap.</summary>
    public const string NameServerLabel = "ipopd";

    /// <summary>Where administrators of the pool ask the CA that serves on a manager.</summary>
    public const string AdminSocket = "/run/wow-ca/admin.sock";

    /// <summary>Who may: the administrators of a manager's pool.conf.</summary>
    public const string AdminGroup = "wow-admin";

    /// <summary>The web page's account, for which the CA does nothing but for an administrator who is logged in there.</summary>
    public const string WebAccount = "wow-web";

    /// <summary>Kind of the notice that says which modules the pool's machines use: its stack.</summary>
    public const int StackNotice = 3;

    /// <summary>First line of its text.</summary>
    public const string StackHead = "wow-stack 1";

    /// <summary>
    /// Word of the text's last line, which may be missing: from which Unix second on no job keeps a machine from starting again with the stack.
    /// </summary>
    public const string RestartWord = "restart-by";

    /// <summary>The largest number that may stand there.</summary>
    public const long LatestRestart = 9999999999;

    /// <summary>Word of a line for a delta: a file from which a machine makes one of the stack's files out of another one.</summary>
    public const string DeltaWord = "delta";

    /// <summary>Word of the line of its text from which on it says what machines of another architecture have.</summary>
    public const string ArchitectureWord = "architecture";

    /// <summary>Debian's name of the architecture of which the lines before such a line are.</summary>
    public const string FirstArchitecture = "amd64";

    /// <summary>Kind of the notice that says until when the stack is the newest: its term.</summary>
    public const int TermNotice = 4;

    /// <summary>First line of its text.</summary>
    public const string TermHead = "wow-term 1";

    /// <summary>Seconds for which a stack is the newest from when it was signed, and from each renewal of its term.</summary>
    public const int TermLife = 1209600;

    /// <summary>Kind of the notice that says which keys signed the stack, the newest last.</summary>
    public const int KeysNotice = 5;

    /// <summary>First line of its text.</summary>
    public const string KeysHead = "wow-keys 1";

    /// <summary>Keys of the stack in a pool's life.</summary>
    public const int MostKeys = 8;

    /// <summary>Kind of the notice that names web servers which have the stack's files: its origins.</summary>
    public const int OriginsNotice = 6;

    /// <summary>First line of its text.</summary>
    public const string OriginsHead = "wow-origins 1";

    /// <summary>Origins of a notice, and as many of pool.conf.</summary>
    public const int MostOrigins = 4;

    /// <summary>Kind of the notice that is the CA's certificate, renewed with the same key.</summary>
    public const int AuthorityNotice = 7;

    /// <summary>Kind of the notice that names machines which the pool gives no jobs: the drained ones.</summary>
    public const int DrainedNotice = 8;

    /// <summary>First line of its text.</summary>
    public const string DrainedHead = "wow-drained 1";

    /// <summary>Machines that may be drained at a time: their names fill a notice.</summary>
    public const int MostDrained = 800;

    /// <summary>Characters of an origin before its # at most.</summary>
    public const int LongestOrigin = 200;

    /// <summary>
    /// What stands behind https:// in an origin, https://HOST[:PORT][/PATH][#sha256=HEX], as a regular expression of both languages.
    /// </summary>
    public const string OriginHost = "(?:(?:[0-9]{1,3}[.]){3}[0-9]{1,3}|(?=[0-9.]*[a-z-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:[.][a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)";

    /// <summary>The same of what follows.</summary>
    public const string OriginPort = "(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?";

    /// <summary>The same of path and pin, up to the last character.</summary>
    public const string OriginPath = "(?:/[A-Za-z0-9._~%+/-]*[A-Za-z0-9._~%+-])?(?:#sha256=[0-9a-f]{64})?";

    /// <summary>TCP port on which the manager with the CA hands out the stack's layers, by HTTP to machines whose packets IPsec seals.</summary>
    public const int LayersPort = 8445;

    /// <summary>Path of a layer there, with the layer's SHA-256 behind it.</summary>
    public const string LayersPath = "/layers/";

    /// <summary>
    /// Path there by which a machine says that it has a layer whole (POST), and learns who else has (GET), with the layer's SHA-256 behind it.
    /// </summary>
    public const string SeedersPath = "/seeders/";

    /// <summary>Modules of a stack.</summary>
    public const int MostModules = 12;

    /// <summary>Deltas of a stack.</summary>
    public const int MostDeltas = 32;

    /// <summary>Bytes of one of its layers at most.</summary>
    public const long LargestLayer = 4294967296;

    /// <summary>Bytes of all of them at most.</summary>
    public const long LargestStack = 8589934592;

    /// <summary>Bytes of the text that names them, at most.</summary>
    public const int LargestStackText = 16384;

    /// <summary>OU of a worker's certificate, and its role in pool.conf, `wow status` and the CA's table.</summary>
    public const string WorkerRole = "worker";

    /// <summary>The same of a manager.</summary>
    public const string ManagerRole = "manager";
}
