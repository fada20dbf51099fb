using System.Security.Cryptography;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>
/// Records on the wire, signed by their owner:
/// <code>
/// kind(1) name-length(1) name sequence(8) value-length(2) value is-certificate(1) owner-length(2) owner signature(64)
/// </code>
/// Owner is the certificate, or the bare DER SubjectPublicKeyInfo. The signature is ECDSA-SHA256 (IEEE P1363) over all before it,
/// with a context string in front.
/// </summary>
internal sealed class RecordCodec(ILocalIdentity identity, ICertificateVerifier? certificates)
{
    private const int MaxCachedOwners = 256;

    [Bounded(nameof(MaxCachedOwners))]
    private readonly Dictionary<string, PeerIdentity> _owners = [];

    /// <summary>Makes a record of the local node and signs it.</summary>
    /// <exception cref="ArgumentException">The name or the value is too long.</exception>
    public byte[] Sign(RecordKey key, ReadOnlySpan<byte> value, ulong sequence)
    {
        if (key.Name.Length is 0 or > ProtocolConstants.MaxRecordNameSize || value.Length > ProtocolConstants.MaxRecordValueSize)
        {
            throw new ArgumentException(
                $"a record's name has 1 to {ProtocolConstants.MaxRecordNameSize} bytes and its value at most {ProtocolConstants.MaxRecordValueSize}",
                nameof(key));
        }

        ReadOnlySpan<byte> owner = identity.Certificate is { } certificate ? certificate.Der.Span : identity.PublicKey.Span;
        Span<byte> buffer = new byte[ProtocolConstants.RecordContext.Length + ProtocolConstants.MaxRecordSize];
        var writer = new ByteWriter(buffer);
        writer.Bytes(ProtocolConstants.RecordContext);
        writer.Byte((byte)key.Kind);
        writer.Byte((byte)key.Name.Length);
        writer.Bytes(Encoding.ASCII.GetBytes(key.Name));
        writer.UInt64(sequence);
        writer.UInt16((ushort)value.Length);
        writer.Bytes(value);
        writer.Byte(identity.Certificate is null ? (byte)0 : (byte)1);
        writer.UInt16((ushort)owner.Length);
        writer.Bytes(owner);
        writer.Bytes(identity.Sign(writer.Written));
        return writer.Written[ProtocolConstants.RecordContext.Length..].ToArray();
    }

    /// <summary>Reads a record and believes it only if its owner signed it and its certificate, if it has one, is the pool's.</summary>
    public DhtRecord? Read(ReadOnlySpan<byte> encoded)
    {
        if (encoded.Length > ProtocolConstants.MaxRecordSize || encoded.Length < ProtocolConstants.RecordSignatureSize)
        {
            return null;
        }

        var reader = new ByteReader(encoded);
        var kind = (RecordKind)reader.Byte();
        ReadOnlySpan<byte> name = reader.Bytes(reader.Byte());
        ulong sequence = reader.UInt64();
        ReadOnlySpan<byte> value = reader.Bytes(reader.UInt16());
        bool isCertificate = reader.Byte() != 0;
        ReadOnlySpan<byte> owner = reader.Bytes(reader.UInt16());
        ReadOnlySpan<byte> signature = reader.Bytes(ProtocolConstants.RecordSignatureSize);
        if (!reader.IsComplete || !IsName(name) || value.Length > ProtocolConstants.MaxRecordValueSize
            || kind is < RecordKind.Address or > RecordKind.Service || FindOwner(owner, isCertificate) is not { } who
            || !IsSigned(encoded[..^ProtocolConstants.RecordSignatureSize], signature, who.PublicKey.Span))
        {
            return null;
        }

        return new DhtRecord(new RecordKey(kind, Encoding.ASCII.GetString(name)), value.ToArray(), who, sequence);
    }

    /// <summary>Whether an owner who was believed is so still: certificates end, and are revoked.</summary>
    public bool Counts(PeerIdentity owner) => owner.Certificate is not { } certificate || certificates?.Counts(certificate) == true;

    /// <summary>What a record claims to be about, unverified; null if it has no such form.</summary>
    public static RecordKey? ReadKey(ReadOnlySpan<byte> encoded)
    {
        var reader = new ByteReader(encoded);
        var kind = (RecordKind)reader.Byte();
        ReadOnlySpan<byte> name = reader.Bytes(reader.Byte());
        return reader.IsValid && IsName(name) ? new RecordKey(kind, Encoding.ASCII.GetString(name)) : null;
    }

    private static bool IsName(ReadOnlySpan<byte> name)
    {
        foreach (byte c in name)
        {
            if (c is not ((>= (byte)'a' and <= (byte)'z') or (>= (byte)'0' and <= (byte)'9') or (byte)'-' or (byte)'.' or (byte)'_'))
            {
                return false;
            }
        }

        return name.Length is > 0 and <= ProtocolConstants.MaxRecordNameSize;
    }

    private static bool IsSigned(ReadOnlySpan<byte> content, ReadOnlySpan<byte> signature, ReadOnlySpan<byte> publicKey)
    {
        byte[] message = new byte[ProtocolConstants.RecordContext.Length + content.Length];
        ProtocolConstants.RecordContext.CopyTo(message);
        content.CopyTo(message.AsSpan(ProtocolConstants.RecordContext.Length));
        using ECDsa key = ECDsa.Create();
        try
        {
            key.ImportSubjectPublicKeyInfo(publicKey, out int read);
            return read == publicKey.Length && key.VerifyData(message, signature, HashAlgorithmName.SHA256);
        }
        catch (CryptographicException)
        {
            return false;
        }
    }

    private PeerIdentity? FindOwner(ReadOnlySpan<byte> owner, bool isCertificate)
    {
        if (!isCertificate)
        {
            // Another kind of key would not only be a second name for its holder: the platform throws at curves that it does not know.
            return P256PublicKey.IsCanonical(owner) ? new PeerIdentity(NodeAddress.FromPublicKey(owner), owner.ToArray(), null) : null;
        }

        string cacheKey = Convert.ToHexString(SHA256.HashData(owner));
        if (_owners.TryGetValue(cacheKey, out PeerIdentity? known) && Counts(known))
        {
            return known;
        }

        if (certificates?.Verify(owner) is not { } certificate)
        {
            return null;
        }

        byte[]? publicKey = ReadPublicKey(owner);
        if (publicKey is null || !P256PublicKey.IsCanonical(publicKey) || NodeAddress.FromPublicKey(publicKey) != certificate.Node)
        {
            return null;
        }

        if (_owners.Count >= MaxCachedOwners)
        {
            _owners.Clear();
        }

        return _owners[cacheKey] = new PeerIdentity(certificate.Node, publicKey, certificate);
    }

    private static byte[]? ReadPublicKey(ReadOnlySpan<byte> der)
    {
        try
        {
            using var certificate = System.Security.Cryptography.X509Certificates.X509CertificateLoader.LoadCertificate(der);
            return certificate.PublicKey.ExportSubjectPublicKeyInfo();
        }
        catch (CryptographicException)
        {
            return null;
        }
    }
}
