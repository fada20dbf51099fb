using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace CertificateProfile;

/// <summary>
/// The keys that sign the pool's stack and its term, one after the other: the CA's signed the first of them, each the next one. So who has an old copy of the CA's folder
/// names no key to a machine that knows a later one (docs/decisions/0078). As text, which the CA signs as a notice whose number is how many there are
/// (docs/protocol.md, Notices): <c>wow-keys 1</c>, then a line <c>key KEY SIGNATURE</c> each.
/// </summary>
public sealed class StackKeys
{
    /// <summary>The kind of notice that it is.</summary>
    public const byte NoticeKind = Agreed.KeysNotice;

    /// <summary>How many there may be in a pool's life: a machine that was off for years reads them all.</summary>
    public const int Most = Agreed.MostKeys;

    private const string Head = Agreed.KeysHead;
    private const string Word = "key";
    private const int SignatureBytes = 96;
    private const int KeyBits = 384;
    private const int LargestText = 4096;

    private readonly List<(byte[] Key, byte[] Signature)> _keys;

    private StackKeys(List<(byte[] Key, byte[] Signature)> keys) => _keys = keys;

    /// <summary>How many there are, 1 to <see cref="Most"/>.</summary>
    public int Count => _keys.Count;

    /// <summary>The newest, as SubjectPublicKeyInfo.</summary>
    public ReadOnlyMemory<byte> Newest => _keys[^1].Key;

    /// <summary>All of them, the first one first, as SubjectPublicKeyInfo.</summary>
    public IEnumerable<ReadOnlyMemory<byte>> All => _keys.Select(key => (ReadOnlyMemory<byte>)key.Key);

    /// <summary>Has one more key sign from now on.</summary>
    /// <param name="former">Those so far; null if there are none.</param>
    /// <param name="signer">The private key of the newest of them; the CA's if there are none.</param>
    /// <param name="made">The next key, P-384.</param>
    /// <exception cref="ArgumentException">There are <see cref="Most"/> already.</exception>
    public static StackKeys Add(StackKeys? former, ECDsa signer, ECDsa made)
    {
        ArgumentNullException.ThrowIfNull(signer);
        ArgumentNullException.ThrowIfNull(made);
        int count = former?.Count ?? 0;
        if (count >= Most)
        {
            throw new ArgumentException($"There are {Most} keys already.", nameof(former));
        }

        byte[] key = made.ExportSubjectPublicKeyInfo();
        byte[] signature = signer.SignData(Content(count + 1, key), HashAlgorithmName.SHA384, DSASignatureFormat.IeeeP1363FixedFieldConcatenation);
        return new StackKeys([.. former?._keys ?? [], (key, signature)]);
    }

    /// <summary>Reads the keys, and verifies each. Never throws on hostile bytes.</summary>
    /// <param name="text">Any bytes.</param>
    /// <param name="authority">The CA's key.</param>
    /// <param name="keys">The keys.</param>
    /// <returns>Whether each was signed by the one before.</returns>
    public static bool TryRead(ReadOnlySpan<byte> text, ECDsa authority, [NotNullWhen(true)] out StackKeys? keys)
    {
        ArgumentNullException.ThrowIfNull(authority);
        keys = null;

        // What follows the last line feed, and one more for what is too much.
        string[] lines = text.Length > LargestText ? [] : Encoding.Latin1.GetString(text).Split('\n', Most + 3);
        if (lines is not [Head, ..] || lines[^1].Length > 0 || lines.Length is < 3 or > Most + 2)
        {
            return false;
        }

        List<(byte[] Key, byte[] Signature)> read = [];
        ECDsa signer = authority;
        try
        {
            foreach (string line in lines.AsSpan(1..^1))
            {
                if (line.Split(' ') is not [Word, var key, var signature] || Decode(key) is not { } spki || Decode(signature) is not { Length: SignatureBytes } proof
                    || !signer.VerifyData(Content(read.Count + 1, spki), proof, HashAlgorithmName.SHA384, DSASignatureFormat.IeeeP1363FixedFieldConcatenation)
                    || Open(spki) is not { } next)
                {
                    return false;
                }

                Leave(signer, authority);
                signer = next;
                read.Add((spki, proof));
            }
        }
        finally
        {
            Leave(signer, authority);
        }

        keys = new StackKeys(read);
        return true;
    }

    /// <summary>Opens a key of these.</summary>
    /// <param name="spki">SubjectPublicKeyInfo.</param>
    /// <returns>The public key; null if the bytes are none of P-384, in the one form that it has.</returns>
    public static ECDsa? Open(ReadOnlySpan<byte> spki)
    {
        var key = ECDsa.Create();
        try
        {
            key.ImportSubjectPublicKeyInfo(spki, out int length);
            if (length == spki.Length && key.KeySize == KeyBits && key.ExportSubjectPublicKeyInfo().AsSpan().SequenceEqual(spki))
            {
                return key;
            }
        }
        catch (CryptographicException)
        {
            // It is none.
        }

        key.Dispose();
        return null;
    }

    /// <summary>Whether these begin with all of those.</summary>
    public bool Continue(StackKeys former)
    {
        ArgumentNullException.ThrowIfNull(former);
        return Count >= former.Count && former._keys.Zip(_keys).All(pair => pair.First.Key.AsSpan().SequenceEqual(pair.Second.Key));
    }

    /// <summary>The text.</summary>
    public byte[] Write()
    {
        var text = new StringBuilder(Head).Append('\n');
        foreach ((byte[] key, byte[] signature) in _keys)
        {
            text.Append(Word).Append(' ').Append(Convert.ToBase64String(key)).Append(' ').Append(Convert.ToBase64String(signature)).Append('\n');
        }

        return Encoding.ASCII.GetBytes(text.ToString());
    }

    /// <summary>What is signed: <c>"wow-stack-key-1" which(1) key</c>.</summary>
    private static byte[] Content(int which, byte[] key) => [.. "wow-stack-key-1"u8, (byte)which, .. key];

    /// <summary>The bytes of base 64; null if it is none, or not as it is written.</summary>
    private static byte[]? Decode(string word)
    {
        byte[] bytes = new byte[word.Length];
        return Convert.TryFromBase64String(word, bytes, out int length) && Convert.ToBase64String(bytes, 0, length) == word ? bytes[..length] : null;
    }

    private static void Leave(ECDsa key, ECDsa authority)
    {
        if (key != authority)
        {
            key.Dispose();
        }
    }
}
