using System.Net;
using System.Net.Sockets;
using CertificateProfile;

namespace Ipopd.Enroll;

/// <summary>
/// Gets a certificate for this machine's current address, or renews it: asks, keeps what is worth keeping, tells the daemon; comes
/// again while the CA is away. When the CA refuses the address of a machine without certificate, the daemon takes its next one, and the caller decides when
/// to ask again.
/// </summary>
/// <remarks>
/// It blocks: one machine asks one thing at a time, and in an emulated guest the state machines of asynchronous methods, which the runtime
/// compiles anew at each start, cost more than the rest (docs/decisions/0009).
/// </remarks>
internal sealed class Enrolment(EnrollOptions options, EnrollState state, TimeProvider time, Action<string> say)
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(15);

    // In a new pool the CA is on its way; a machine that waits longer between its first tries joins that much later.
    private static readonly TimeSpan LongestEarlyPause = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Early = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan AddressPause = TimeSpan.FromSeconds(0.5);
    private readonly ControlClient _control = new(options.ControlSocket);

    /// <summary>Runs until there is a certificate or no hope.</summary>
    /// <exception cref="IOException">The certificate can't be written.</exception>
    internal ExitCode Run()
    {
        long start = time.GetTimestamp();
        TimeSpan pause = FirstPause;
        while (true)
        {
            (ExitCode exit, string why) = Try();
            bool mayPass = exit is ExitCode.Unreached or ExitCode.Refused;
            TimeSpan left = options.Timeout - time.GetElapsedTime(start);
            if (!mayPass || left <= TimeSpan.Zero)
            {
                say(why);
                return exit;
            }

            Wait(pause < left ? pause : left);
            TimeSpan longest = time.GetElapsedTime(start) < Early ? LongestEarlyPause : LongestPause;
            pause = pause * 2 < longest ? pause * 2 : longest;
        }
    }

    private (ExitCode Exit, string Why) Try()
    {
        IPAddress? address;
        IPAddress? ca;
        try
        {
            address = FindAddress();
            if (address is null)
            {
                return (ExitCode.Unreached, "This machine has no virtual address yet: is DHCP running on the tap?");
            }

            if (!options.Shows && state.FindCertificate(address, time.GetUtcNow()) is { } current && !current.Info.IsDueForRenewal(time.GetUtcNow()))
            {
                return (ExitCode.Done, $"certificate for {address} is valid until {current.Info.NotAfter:u}");
            }

            string name = state.Authority.Pool.AuthorityName;
            ca = _control.Resolve(name);
            if (ca is null)
            {
                return (ExitCode.Unreached, $"{name} is not known: is the machine with the CA up, and has this machine joined the ring?");
            }
        }
        catch (IOException e)
        {
            return (ExitCode.Unreached, e.Message);
        }

        return Take(Ask(address, ca), address);
    }

    // After a refusal the daemon needs a moment to take another address.
    private IPAddress? FindAddress()
    {
        long start = time.GetTimestamp();
        while (true)
        {
            IPAddress? address = _control.FindAddress();
            if (address is not null)
            {
                return address;
            }

            if (time.GetElapsedTime(start) > LongestPause)
            {
                return null;
            }

            Wait(AddressPause);
        }
    }

    private EnrollReply Ask(IPAddress address, IPAddress ca)
    {
        try
        {
            using var listener = new PossessionListener(state.Key, address, options.PossessionPort);
            byte[]? old = state.FindCertificate(address, time.GetUtcNow())?.Der;
            var client = new EstClient(state.Authority, state.Key, address, new IPEndPoint(ca, options.CaPort), time);
            return client.Enrol(EnrolmentRequest.Create(state.Key, options.Host), options.Ticket, old);
        }
        catch (SocketException e)
        {
            return EnrollReply.None($"can't answer the possession check at {address}:{options.PossessionPort} ({e.Message})");
        }
    }

    private (ExitCode Exit, string Why) Take(EnrollReply reply, IPAddress address)
    {
        switch (reply.Status)
        {
            case EnrolmentStatus.Granted when !state.IsMine(reply.Certificate!, address, time.GetUtcNow(), out _, out string reason):
                return (ExitCode.Refused, $"The CA sent a certificate that can't be believed: {reason}.");
            case EnrolmentStatus.Granted:
                state.Keep(reply.Certificate!);
                return (ExitCode.Done, Announce(address));
            case EnrolmentStatus.AddressTaken:
                return (ExitCode.AddressRefused, state.FindCertificate(address, time.GetUtcNow()) is { } kept ? Keeping(kept.Info, reply.Text) : GiveUp(address, reply.Text));
            case EnrollReply.NoAnswer:
                return (ExitCode.Unreached, reply.Text);
            default:
                return (EnrolmentStatus.ExitOf(reply.Status), reply.Text);
        }
    }

    private string Announce(IPAddress address)
    {
        MemberInfo info = state.FindCertificate(address, time.GetUtcNow())!.Value.Info;
        string done = $"certificate host={info.HostName} address={address} serial={info.Serial} until={info.NotAfter:u}";
        try
        {
            return _control.Reload() is string wrong ? $"{done}; ipopd says: {wrong}" : done;
        }
        catch (IOException e)
        {
            // It reads the file when it starts.
            return $"{done}; ipopd was not told: {e.Message}";
        }
    }

    // With a certificate a machine may have no other address, so without this one it would have none. Two certificates for one address are the overlay's matter:
    // the one that was issued later has it.
    private static string Keeping(MemberInfo held, string text) =>
        $"{text} This machine keeps the address while it has it: its own certificate for it, serial={held.Serial}, is good until {held.NotAfter:u}.";

    private string GiveUp(IPAddress address, string text)
    {
        try
        {
            return _control.RefuseAddress(address) is string wrong ? $"{text} ipopd says: {wrong}" : text;
        }
        catch (IOException e)
        {
            return $"{text} ipopd was not told: {e.Message}";
        }
    }

    // The pause is wall time that a test's clock may skip; nothing else wakes it.
    private void Wait(TimeSpan pause)
    {
        using var over = new ManualResetEventSlim();
        using ITimer timer = time.CreateTimer(static state => ((ManualResetEventSlim)state!).Set(), over, pause, Timeout.InfiniteTimeSpan);
        over.Wait();
    }
}
