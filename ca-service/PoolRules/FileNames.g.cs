// Made of docs/contract/files.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace PoolRules;

/// <summary>Files by which ipopd and wow-ca meet others, by their names in the folder that each is told.</summary>
public static class FileNames
{
    /// <summary>The machine's key: PKCS#8 PEM, P-256, 0600.</summary>
    public const string Key = "node.key";

    /// <summary>Its certificate; whole or the old one.</summary>
    public const string Certificate = "node.pem";

    /// <summary>The CA's certificate: that of the configuration disk, or the one that the CA renewed it to, whichever ends later.</summary>
    public const string Authority = "ca.pem";

    /// <summary>The last virtual address.</summary>
    public const string LastAddress = "address.json";

    /// <summary>Where members were reached; 0600.</summary>
    public const string Peers = "peers.json";

    /// <summary>Router mode: the hosts of the LAN and their addresses.</summary>
    public const string Hosts = "hosts";

    /// <summary>Locked while an ipopd runs on this folder.</summary>
    public const string Lock = "ipopd.lock";

    /// <summary>The newest notice of kind 1, the CA's list of revoked certificates.</summary>
    public const string Revocations = "notice-1";

    /// <summary>The newest notice of kind 7, the CA's certificate; only where it was renewed.</summary>
    public const string RenewedAuthority = "notice-7";

    /// <summary>The newest notice of kind 8, the drained machines; only where the CA ever named any.</summary>
    public const string Drained = "notice-8";

    /// <summary>The keys of the stack that the configuration disk brought: ipopd believes no others than those that go on from them.</summary>
    public const string FirstKeys = "keys.notice";

    /// <summary>
    /// The machine was copied or set back: whoever has keys of sessions drops them and removes the file. Stands beside the control socket.
    /// </summary>
    public const string Copied = "copied";

    /// <summary>A sentence: why wow-ca serve ended last, for who gets no answer there, and for the doctor. Gone once it serves; 0640.</summary>
    public const string Trouble = "trouble";
}
