using System.Security.Cryptography;

namespace CertificateProfile.Tests;

public sealed class NodeKeyTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-key").FullName;

    private string KeyPath => Path.Combine(_folder, "node.key");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_key_is_made_once_and_only_its_owner_may_read_it()
    {
        using ECDsa first = NodeKey.LoadOrCreate(KeyPath);
        using ECDsa second = NodeKey.LoadOrCreate(KeyPath);

        Assert.Equal(first.ExportSubjectPublicKeyInfo(), second.ExportSubjectPublicKeyInfo());
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(KeyPath));
        Assert.StartsWith("-----BEGIN PRIVATE KEY-----", File.ReadAllText(KeyPath), StringComparison.Ordinal);
        Assert.Single(Directory.GetFiles(_folder));
    }

    [Fact]
    public void A_damaged_key_is_an_error_that_names_the_file_and_not_a_new_key()
    {
        File.WriteAllText(KeyPath, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");

        Assert.Contains(KeyPath, Assert.Throws<InvalidDataException>(() => NodeKey.LoadOrCreate(KeyPath)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Keys_of_other_kinds_are_refused()
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        using var rsa = RSA.Create(2048);
        foreach (string pem in new[] { other.ExportPkcs8PrivateKeyPem(), rsa.ExportPkcs8PrivateKeyPem(), other.ExportSubjectPublicKeyInfoPem() })
        {
            File.WriteAllText(KeyPath, pem);
            Assert.Throws<InvalidDataException>(() => NodeKey.Load(KeyPath));
        }
    }

    [Fact]
    public void The_address_is_the_head_of_the_hash_of_the_key()
    {
        using ECDsa key = NodeKey.LoadOrCreate(KeyPath);
        byte[] spki = key.ExportSubjectPublicKeyInfo();

        Assert.True(NodeKey.IsP256(spki));
        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(spki))[..40], NodeKey.AddressOf(spki));
        Assert.False(NodeKey.IsP256([.. spki, 0]));
        spki[^1] ^= 1;
        Assert.False(NodeKey.IsP256(spki));
    }

    [Fact]
    public void A_file_is_brought_to_the_disk_before_it_has_its_name_and_again_after()
    {
        File.WriteAllText(KeyPath, "old");
        List<string> found = [];
        AtomicFile.Write(KeyPath, "new"u8, UnixFileMode.UserRead, stream =>
        {
            stream.Flush(flushToDisk: true);
            found.Add(File.ReadAllText(KeyPath));
        });
        Assert.Equal(["old", "new"], found);
    }

    [Fact]
    public void A_file_that_cannot_be_written_leaves_the_old_one_and_no_litter()
    {
        File.WriteAllText(KeyPath, "old");
        string folder = Path.Combine(_folder, "sub");
        Directory.CreateDirectory(folder);

        // The target is a folder that is not empty, so the rename fails.
        File.WriteAllText(Path.Combine(folder, "x"), string.Empty);
        Assert.ThrowsAny<Exception>(() => AtomicFile.WriteText(folder, "new", UnixFileMode.UserRead));
        Assert.Equal(2, Directory.GetFileSystemEntries(_folder).Length);
    }
}
