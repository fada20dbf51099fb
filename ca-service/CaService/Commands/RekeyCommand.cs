using CaService.Layers;
using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca rekey</c>: has another key sign the pool's stack, so that no copy of the CA's folder publishes any more.</summary>
internal static class RekeyCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        string folder = options.Get(Option.Folder.Name);
        using CaFolder ca = CaFolder.Open(folder);
        DateTimeOffset now = time.GetUtcNow();
        ProvenClock.Check(ca, options, now);
        var stack = new StackFolder(ca, folder);
        StackKeys keys;

        // Nobody publishes meanwhile, with the key that goes.
        using (stack.TakeLock())
        {
            keys = stack.Keys.Renew(now);
        }

        ulong number = stack.Current(now);
        new OriginsDesk(ca, stack, folder, time).Current();
        string path = stack.Keys.PathOf(keys.Count);
        reply.Say(
            words =>
            {
                words.WriteLine($"Key {keys.Count} of {StackKeys.Most} signs the pool's stack from now on. Machines that have heard of it believe no other one; a running wow-ca serve tells them within seconds.");
                words.WriteLine($"It stands in {path} and nowhere else. Back up the CA's folder now: without that file nothing can be published any more.");
                words.WriteLine("Machines whose image is of a release without wow-ca rekey keep the modules and the system that they have.");
            },
            json =>
            {
                json.WriteNumber("key", keys.Count);
                json.WriteString("file", path);
                json.WriteNumber("stack", number);
            });
        return Task.FromResult(ExitCode.Done);
    }
}
