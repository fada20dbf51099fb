using Testing.Overlay;

namespace Ipop.Tests;

public sealed class SpinningHolderTests
{
    [Fact]
    public void A_certificate_that_goes_before_its_address_was_bound_leaves_nothing_to_do()
    {
        var machine = new Machine("a", certificate: Peers.Certificate("a", "10.128.3.4"), isJoined: false);
        machine.Network.CertificateChanged(machine.Now, null);
        machine.Overlay.IsJoined = true;
        machine.Pass(1);
    }
}
