using System.Net.Sockets;
using Ipop.Linux.Tap;

namespace Ipop.Linux.Tests.Tap;

public sealed class TapClaimTests
{
    private readonly string _tap = $"t{Environment.ProcessId}";

    [Fact]
    public void A_tap_is_one_process_s_of_an_account()
    {
        using (TapClaim.Take(_tap))
        {
            Assert.Contains("in use by another process", Assert.Throws<TapException>(() => TapClaim.Take(_tap)).Message, StringComparison.Ordinal);
        }

        TapClaim.Take(_tap).Dispose();
    }

    [Fact]
    public void Another_account_that_takes_the_name_keeps_nobody_from_the_tap()
    {
        using var squatter = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        squatter.Bind(new UnixDomainSocketEndPoint($"\0wow-tap-{_tap}-squat"));
        using var other = TapClaim.Take($"{_tap}-squat", Interop.Libc.geteuid() + 1);
        Assert.Throws<TapException>(() => TapClaim.Take($"{_tap}-squat"));
    }
}
