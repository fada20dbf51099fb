namespace Ipop.Linux.Tests.Ciphers;

/// <summary>One case of NIST's validation of AES-256-GCM (GCMVS), with a nonce of 96 bits and a tag of 128, which is what sessions use.</summary>
/// <param name="Key">32 bytes.</param>
/// <param name="Nonce">12 bytes.</param>
/// <param name="Header">What is proven, but not hidden.</param>
/// <param name="Message">Null if the case must be refused.</param>
/// <param name="Sealed">The message, hidden.</param>
/// <param name="Tag">16 bytes.</param>
internal sealed record NistVector(byte[] Key, byte[] Nonce, byte[] Header, byte[]? Message, byte[] Sealed, byte[] Tag)
{
    /// <summary>Where Debian's python3-cryptography-vectors has them.</summary>
    private const string Folder = "/usr/lib/python3/dist-packages/cryptography_vectors/ciphers/AES/GCM";

    /// <summary>Reads a file of them.</summary>
    internal static List<NistVector> Read(string name)
    {
        string path = Path.Combine(Folder, name);
        Assert.True(File.Exists(path), $"{path} is missing: install python3-cryptography-vectors (test/packages.txt)");
        var found = new List<NistVector>();
        var sizes = new Dictionary<string, string>();
        var fields = new Dictionary<string, string>();
        foreach (string line in File.ReadLines(path).Append(""))
        {
            string[] pair = line.Trim('[', ']').Split('=', StringSplitOptions.TrimEntries);
            if (line.StartsWith('['))
            {
                sizes[pair[0]] = pair[1];
            }
            else if (line.Contains("FAIL", StringComparison.Ordinal) || pair.Length == 2)
            {
                fields[pair[0]] = pair.Length == 2 ? pair[1] : "";
            }
            else if (fields.Count > 0)
            {
                if (sizes["IVlen"] == "96" && sizes["Taglen"] == "128")
                {
                    found.Add(new NistVector(
                        Bytes("Key"), Bytes("IV"), Bytes("AAD"), fields.ContainsKey("FAIL") ? null : Bytes("PT"), Bytes("CT"), Bytes("Tag")));
                }

                fields.Clear();
            }

            byte[] Bytes(string field) => Convert.FromHexString(fields[field]);
        }

        return found;
    }
}
