using CertificateProfile;

namespace CaService.Commands;

/// <summary>
/// <c>wow-ca renew</c>: the next certificate of the manager beside this CA, for the same key, address and name, even after an expired one.
/// Nothing else renews it: who asks for one writes it, so that the CA's table has none that nobody holds.
/// </summary>
internal static class RenewCommand
{
    public static int Run(string[] args, TextWriter output, TimeProvider time)
    {
        Options options = Options.Read(args, ["state", "out"]);
        string path = Path.Combine(options.Get("out"), "node.pem");
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        if (!File.Exists(path) || !CertificatePem.TryRead(File.ReadAllText(path), out byte[]? old))
        {
            throw new UserError($"{path} holds no certificate in PEM: make one with wow-ca manager --out FOLDER.");
        }

        if (new EnrolmentDesk(ca, time).RenewManager(old) is byte[] der)
        {
            NodeCertificateFile.Write(path, der);
            output.WriteLine($"{path}: renewed");
        }
        else
        {
            output.WriteLine($"{path}: unchanged, more than a third of its life is left");
        }

        return 0;
    }
}
