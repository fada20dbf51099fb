using CertificateProfile;

namespace CaService.Commands;

/// <summary>
/// <c>wow-ca renew</c>: the next certificate of the manager beside this CA, for the same key, address and name, even after an expired one.
/// Nothing else renews it: who asks for one writes it, so that the CA's table has none that nobody holds.
/// </summary>
internal static class RenewCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        string path = Path.Combine(options.Get("out"), FileNames.Certificate);
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        if (!File.Exists(path) || !CertificatePem.TryRead(File.ReadAllText(path), out byte[]? old))
        {
            throw new UserError($"{path} holds no certificate in PEM: make one with wow-ca manager --out FOLDER.");
        }

        byte[]? der = new EnrolmentDesk(ca, time).RenewManager(old);
        if (der is not null)
        {
            NodeCertificateFile.Write(path, der);
        }

        reply.Say(
            der is null ? $"{path}: unchanged, more than a third of its life is left" : $"{path}: renewed",
            json =>
            {
                json.WriteString("certificate", path);
                json.WriteBoolean("renewed", der is not null);
            });
        return Task.FromResult(ExitCode.Done);
    }
}
