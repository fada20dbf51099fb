using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Brunet.Notices;
using CertificateProfile;

namespace Ipopd.Identity;

/// <summary>
/// Believes notices that the pool's CA signed: ECDSA with SHA-384 in DER (RFC 3279 section 2.2.3), by the key of ca.pem. The pool's stack, its term and its origins it believes
/// from the newest key that it knows, if the CA ever had another one take its place (<see cref="StackKeys"/>).
/// </summary>
internal sealed class AuthorityNoticePolicy : INoticePolicy, IDisposable
{
    private readonly ECDsa _key;
    private readonly PoolAuthority? _authority;
    private StackKeys? _keys;
    private ECDsa? _stackKey;

    /// <summary>Takes the key of a CA certificate.</summary>
    /// <param name="der">The certificate, which is known to be the pool's.</param>
    /// <exception cref="CryptographicException">It has no key for ECDSA.</exception>
    internal AuthorityNoticePolicy(ReadOnlySpan<byte> der)
    {
        using X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(der);
        _ = PoolAuthority.TryRead(der, out _authority, out _);
        _key = certificate.GetECDsaPublicKey() ?? throw new CryptographicException("the CA's key is not one for ECDSA");
    }

    /// <summary>How many keys of the stack are known; 0 while the CA's own key signs it.</summary>
    internal int KnownKeys => _keys?.Count ?? 0;

    /// <inheritdoc/>
    public bool IsSigned(ReadOnlySpan<byte> content, ReadOnlySpan<byte> signature)
    {
        ECDsa key = content.Length > Notice.KindAt && content[Notice.KindAt] is Agreed.StackNotice or Agreed.TermNotice or Agreed.OriginsNotice ? _stackKey ?? _key : _key;
        try
        {
            return key.VerifyData(content, signature, HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);
        }
        catch (CryptographicException)
        {
            return false;
        }
    }

    /// <summary>How many keys somebody told of that the CA signed and that do not go on from the known ones; 0 if nobody did. Only who has the CA's key can make such.</summary>
    internal int OtherKeys { get; private set; }

    /// <inheritdoc/>
    /// <remarks>Keys count when they go on from those that are known. Their number is how many they are, so nobody keeps the next ones out by a high number.</remarks>
    public bool MayCount(Notice notice)
    {
        ArgumentNullException.ThrowIfNull(notice);
        if (notice.Kind == PoolAuthority.NoticeKind)
        {
            return PoolAuthority.TryRead(notice.Body.Span, out PoolAuthority? renewed, out _) && _authority is not null
                && renewed.IsSameAs(_authority) && renewed.NoticeNumber == notice.Number;
        }

        if (notice.Kind != StackKeys.NoticeKind || ReadKeys(notice) is not null)
        {
            return true;
        }

        OtherKeys = _keys is { } known && Read(notice) is { } other && !known.Continue(other) ? other.Count : OtherKeys;
        return false;
    }

    /// <inheritdoc/>
    /// <remarks>Two who each made the next key from one copy of the CA's folder: the first that a node hears of stays, or who has an old copy could push it out.</remarks>
    public void HeardOther(byte kind, ulong number) => OtherKeys = kind == StackKeys.NoticeKind && number <= StackKeys.Most ? (int)number : OtherKeys;

    /// <summary>Whether these are keys that the CA signed, as many as the known ones and others.</summary>
    internal bool IsForked(Notice notice) =>
        notice.Kind == StackKeys.NoticeKind && _keys is { } known && IsSigned(Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span)
        && Read(notice) is { } other && other.Count == known.Count && !other.Continue(known);

    /// <summary>From now on believes the newest of these keys. What is no such notice changes nothing.</summary>
    internal void Learn(Notice notice)
    {
        if (notice.Kind == StackKeys.NoticeKind && ReadKeys(notice) is { } keys)
        {
            _stackKey?.Dispose();
            (_keys, _stackKey) = (keys, StackKeys.Open(keys.Newest.Span));
            OtherKeys = 0;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _key.Dispose();
        _stackKey?.Dispose();
    }

    /// <summary>Begins with these keys: none are known yet.</summary>
    /// <returns>Whether the CA signed them.</returns>
    internal bool Begin(Notice notice)
    {
        if (notice.Kind != StackKeys.NoticeKind || !IsSigned(Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span) || ReadKeys(notice) is null)
        {
            return false;
        }

        Learn(notice);
        return true;
    }

    private StackKeys? ReadKeys(Notice notice) => Read(notice) is { } keys && (_keys is null || keys.Continue(_keys)) ? keys : null;

    private StackKeys? Read(Notice notice) => StackKeys.TryRead(notice.Body.Span, _key, out StackKeys? keys) && (ulong)keys.Count == notice.Number ? keys : null;
}
