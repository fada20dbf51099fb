using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CertificateProfile;

namespace CaService.Est;

/// <summary>
/// The manager's own certificate, as the server shows it: taken up again when the file changes. The server never renews it: it may not write there
/// (its unit), and a second renewer beside <c>wow-ca renew</c> would fill the CA's table with certificates that nobody holds.
/// </summary>
internal sealed class ServerCertificate : IDisposable
{
    private readonly ServeSettings _settings;
    private readonly RevocationDesk _revocations;
    private readonly Action<string> _log;
    private readonly Lock _lock = new();
    private X509Certificate2 _current;
    private DateTimeOffset _notAfter;
    private DateTime _fileTime;

    /// <exception cref="UserError">The files are missing, or not those of a manager of this pool.</exception>
    public ServerCertificate(ServeSettings settings, RevocationDesk revocations, TimeProvider time, Action<string> log)
    {
        _settings = settings;
        _revocations = revocations;
        _log = log;
        _current = Load();
        if (time.GetUtcNow() > _notAfter)
        {
            log($"certificate expired={_notAfter:u} renew it: wow-ca renew --state DIR --out FOLDER");
        }
    }

    /// <summary>The certificate for a new connection.</summary>
    public X509Certificate2 Current
    {
        get
        {
            lock (_lock)
            {
                try
                {
                    if (File.GetLastWriteTimeUtc(_settings.CertificatePath) != _fileTime)
                    {
                        _current = Load();
                    }
                }
                catch (Exception e) when (e is UserError or IOException or InvalidDataException)
                {
                    _log($"certificate kept=old reason={e.Message}");
                }

                return _current;
            }
        }
    }

    public void Dispose() => _current.Dispose();

    // Old objects are left to the collector: a handshake may still be using them.
    private X509Certificate2 Load()
    {
        string certificatePath = _settings.CertificatePath;
        DateTime fileTime = File.GetLastWriteTimeUtc(certificatePath);
        if (!File.Exists(certificatePath) || !File.Exists(_settings.KeyPath))
        {
            throw new UserError($"{certificatePath} or {_settings.KeyPath} is not there: make both with wow-ca manager --out FOLDER.");
        }

        using ECDsa key = NodeKey.Load(_settings.KeyPath);
        if (!CertificatePem.TryRead(File.ReadAllText(certificatePath), out byte[]? der))
        {
            throw new UserError($"{certificatePath} holds no certificate in PEM: make one with wow-ca manager --out FOLDER.");
        }

        if (!_revocations.Authority.TryVerifyIgnoringTime(der, out MemberInfo? info, out string reason))
        {
            throw new UserError($"{certificatePath} is not of this pool ({reason}): make one with wow-ca manager --out FOLDER.");
        }

        if (info.Role != MemberRole.Manager || !info.PublicKey.Span.SequenceEqual(key.ExportSubjectPublicKeyInfo()))
        {
            throw new UserError($"{certificatePath} is not a manager's, or not of the key in {_settings.KeyPath}: make both with wow-ca manager --out FOLDER.");
        }

        using X509Certificate2 bare = X509CertificateLoader.LoadCertificate(der);
        X509Certificate2 loaded = bare.CopyWithPrivateKey(key);
        _fileTime = fileTime;
        _notAfter = info.NotAfter;
        try
        {
            if (_revocations.Learn(der) is string learned)
            {
                _log(learned);
            }
        }
        catch (Exception e) when (e is UserError || DiskFault.Is(e))
        {
            // Neither a full disk nor a full list of revoked ones keeps the server at the certificate of before.
            _log($"learn refused={e.Message}");
        }

        return loaded;
    }
}
