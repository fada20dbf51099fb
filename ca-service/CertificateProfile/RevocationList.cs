using System.Diagnostics.CodeAnalysis;
using System.Formats.Asn1;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>The certificates that a pool's CA took back (a CRL, RFC 5280 section 5), read strictly as DER and verified.</summary>
public sealed class RevocationList
{
    /// <summary>No list is longer, in bytes: it travels as a notice's body (docs/protocol.md, Notices).</summary>
    public const int MaxBytes = 65536;

    private static readonly Asn1Tag ExtensionsTag = new(TagClass.ContextSpecific, 0, isConstructed: true);
    private readonly HashSet<string> _serials = [];

    private RevocationList(ReadOnlyMemory<byte> der, ReadOnlyMemory<byte> issuer, ECDsa key)
    {
        var outer = new AsnReader(der, AsnEncodingRules.DER);
        AsnReader list = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        ReadOnlyMemory<byte> signed = list.PeekEncodedValue();
        AsnReader fields = list.ReadSequence();
        string algorithm = CertificateFields.ReadAlgorithm(list);
        byte[] signature = list.ReadBitString(out int unused);
        list.ThrowIfNotEmpty();

        bool isVersion2 = fields.TryReadInt32(out int version) && version == 1;
        Require(isVersion2 && unused == 0 && CertificateFields.ReadAlgorithm(fields) == algorithm, "it is no CRL of version 2");
        Require(
            algorithm == Oids.EcdsaWithSha384 && fields.ReadEncodedValue().Span.SequenceEqual(issuer.Span)
            && key.VerifyData(signed.Span, signature, HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence),
            "the pool's CA did not sign it");
        MadeAt = CertificateFields.ReadTime(fields);
        NextAt = CertificateFields.ReadTime(fields);
        if (fields.HasData && fields.PeekTag().HasSameClassAndValue(Asn1Tag.Sequence))
        {
            ReadEntries(fields.ReadSequence());
        }

        AsnReader wrapper = fields.ReadSequence(ExtensionsTag);
        fields.ThrowIfNotEmpty();
        Number = ReadNumber(wrapper.ReadSequence());
        wrapper.ThrowIfNotEmpty();
        Der = der;
    }

    /// <summary>Grows with each list.</summary>
    public ulong Number { get; }

    /// <summary>When it was made.</summary>
    public DateTimeOffset MadeAt { get; }

    /// <summary>When the next one is made at the latest. What stands in an older list counts all the same.</summary>
    public DateTimeOffset NextAt { get; }

    /// <summary>How many certificates are on it.</summary>
    public int Count => _serials.Count;

    /// <summary>Their serial numbers, upper-case hexadecimal.</summary>
    public IReadOnlyCollection<string> Serials => _serials;

    /// <summary>The list itself.</summary>
    public ReadOnlyMemory<byte> Der { get; }

    /// <summary>Whether a certificate was taken back.</summary>
    /// <param name="serial">Its serial number, upper-case hexadecimal.</param>
    public bool Contains(string serial) => _serials.Contains(serial);

    /// <summary>Reads and verifies a list.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="issuer">The CA's name in DER.</param>
    /// <param name="publicKey">The CA's SubjectPublicKeyInfo.</param>
    /// <param name="list">What it says.</param>
    /// <param name="reason">Why not, for a log.</param>
    /// <returns>False for anything but a list of this CA; never throws on hostile bytes.</returns>
    internal static bool TryRead(
        ReadOnlySpan<byte> der, ReadOnlyMemory<byte> issuer, ReadOnlySpan<byte> publicKey, [NotNullWhen(true)] out RevocationList? list, out string reason)
    {
        list = null;
        if (der.Length > MaxBytes)
        {
            reason = $"it is longer than {MaxBytes} bytes";
            return false;
        }

        try
        {
            using var key = ECDsa.Create();
            key.ImportSubjectPublicKeyInfo(publicKey, out _);
            list = new RevocationList(der.ToArray(), issuer, key);
            reason = string.Empty;
            return true;
        }
        catch (Exception e) when (CertificateFields.IsBadInput(e))
        {
            reason = e.Message;
            return false;
        }
    }

    private static ulong ReadNumber(AsnReader extensions)
    {
        ulong? number = null;
        while (extensions.HasData)
        {
            AsnReader item = extensions.ReadSequence();
            string oid = item.ReadObjectIdentifier();
            bool isCritical = item.PeekTag().HasSameClassAndValue(Asn1Tag.Boolean) && item.ReadBoolean();
            byte[] value = item.ReadOctetString();
            item.ThrowIfNotEmpty();
            if (oid == Oids.CrlNumber)
            {
                var reader = new AsnReader(value, AsnEncodingRules.DER);
                Require(number is null && reader.TryReadUInt64(out ulong read) && (number = read) is not null, "its number is not one");
                reader.ThrowIfNotEmpty();
            }
            else
            {
                // A delta, or a list for some certificates only, says so in a critical extension.
                Require(!isCritical, $"its critical extension {oid} is not known");
            }
        }

        return number ?? throw new AsnContentException("it has no number");
    }

    private static void Require(bool condition, string reason)
    {
        if (!condition)
        {
            throw new AsnContentException(reason);
        }
    }

    private void ReadEntries(AsnReader entries)
    {
        while (entries.HasData)
        {
            AsnReader entry = entries.ReadSequence();
            ReadOnlySpan<byte> serial = entry.ReadIntegerBytes().Span;
            CertificateFields.ReadTime(entry);
            Require(!entry.HasData && serial.Length <= 20 && (serial[0] & 0x80) == 0, "an entry is not of the profile");
            _serials.Add(Convert.ToHexString(serial[0] == 0 ? serial[1..] : serial));
        }
    }
}
