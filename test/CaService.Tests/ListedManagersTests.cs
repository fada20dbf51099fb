using System.Security.Cryptography;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>A listed manager's address and name are its certificate's: whoever makes keys until one has the address gets neither, whatever his ticket.</summary>
public sealed class ListedManagersTests : AsyncTests
{
    private const string Two = "manager 127.83.0.1 ca\nsecond 127.83.0.2\n";
    private readonly TestCa _ca = new(manager: "127.83.0.1");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task A_manager_that_has_not_started_yet_has_its_address_kept()
    {
        _ca.TakeList(5, Two);
        await _ca.StartAsync();
        using var thief = new TestMachine(_ca, "127.83.0.2");

        EnrollReply reply = await thief.EnrolAsync(_ca.NewTicket(), "second");

        Assert.Equal(EnrolmentStatus.AddressTaken, reply.Status);
        Assert.Contains("kept for the manager second", reply.Text, StringComparison.Ordinal);
        Assert.Equal(EnrolmentStatus.AddressTaken, thief.Decide(_ca.NewTicket()).Status);
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM certificates"));
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM ticket_uses"));
        Assert.Contains("managers list=5 hosts=manager,second", _ca.Log, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_manager_whose_certificate_ran_out_has_its_address_kept()
    {
        await _ca.StartAsync();
        using var second = new TestMachine(_ca, "127.83.0.2");
        byte[] ended = second.MadeInCopy("second");
        Assert.Equal(ended, (await second.EnrolAsync(null, null, ended)).Certificate);
        _ca.TakeList(5, Two);
        _ca.Time.Advance(TimeSpan.FromDays(31));
        using var thief = new TestMachine(_ca, "127.83.0.2");

        Assert.Equal(EnrolmentStatus.AddressTaken, thief.Decide(_ca.NewTicket(), "second").Status);

        // Its own key opens it no more than another's: it was renewed in a copy of the folder, and shows that.
        Assert.Equal(EnrolmentStatus.AddressTaken, second.Decide(_ca.NewTicket(), "second", ended).Status);
        byte[] stamped = second.MadeInCopy("second");
        Assert.Equal(stamped, second.Decide(null, null, stamped).Certificate);
    }

    [Fact]
    public void Nobody_else_gets_a_listed_name_and_who_had_it_loses_it_at_the_next_renewal()
    {
        using var early = new TestMachine(_ca, "127.83.0.8");
        Assert.Equal("second", early.Read(early.Decide(_ca.NewTicket(), "second").Certificate).HostName);
        _ca.TakeList(5, Two);
        using var thief = new TestMachine(_ca, "127.83.0.9");

        Assert.Equal("w-127-83-0-9", thief.Read(thief.Decide(_ca.NewTicket(), "second").Certificate).HostName);
        _ca.Time.Advance(TimeSpan.FromDays(22));
        Assert.Equal("w-127-83-0-8", early.Read(early.Decide(null, "second").Certificate).HostName);
    }

    [Fact]
    public void Its_own_certificate_opens_both_and_is_renewed()
    {
        _ca.TakeList(5, Two);
        using var second = new TestMachine(_ca, "127.83.0.2");
        byte[] copied = second.MadeInCopy("second");

        Assert.Equal(copied, second.Decide(null, "other", copied).Certificate);
        _ca.Time.Advance(TimeSpan.FromDays(22));
        MemberInfo renewed = second.Read(second.Decide(null, "other").Certificate);
        Assert.Equal((MemberRole.Manager, "second"), (renewed.Role, renewed.HostName));
    }

    [Theory]
    [InlineData("second", MemberRole.Worker)]
    [InlineData("third", MemberRole.Manager)]
    public void A_certificate_of_another_role_or_name_does_not_open_the_address(string host, MemberRole role)
    {
        _ca.TakeList(5, Two);
        using var machine = new TestMachine(_ca, "127.83.0.2");
        Assert.Equal(EnrolmentStatus.AddressTaken, machine.Decide(_ca.NewTicket(), host, machine.MadeInCopy(host, role)).Status);
    }

    [Fact]
    public void Another_key_s_certificate_opens_nothing()
    {
        _ca.TakeList(5, Two);
        using var second = new TestMachine(_ca, "127.83.0.2");
        using var thief = new TestMachine(_ca, "127.83.0.2");
        Assert.Equal(EnrolmentStatus.AddressTaken, thief.Decide(_ca.NewTicket(), "second", second.MadeInCopy("second")).Status);
    }

    [Fact]
    public void Who_enrolled_at_the_address_before_the_list_gives_way_to_the_manager()
    {
        using var early = new TestMachine(_ca, "127.83.0.2");
        byte[] first = early.Decide(_ca.NewTicket(), "alpha").Certificate!;
        using var second = new TestMachine(_ca, "127.83.0.2");
        byte[] copied = second.MadeInCopy("second");
        Assert.Equal(EnrolmentStatus.AddressTaken, second.Decide(null, null, copied).Status);

        _ca.TakeList(5, Two);
        Assert.Equal(EnrolmentStatus.AddressTaken, early.Decide(null, "alpha", first).Status);
        Assert.Equal(copied, second.Decide(null, null, copied).Certificate);
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM certificates WHERE status = 'valid'"));
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM audit WHERE event = 'displace'"));
        Assert.Equal(EnrolmentStatus.AddressTaken, early.Decide(_ca.NewTicket(), "alpha", first).Status);

        // What it has is known, so it can be revoked.
        Assert.Equal(1, new RevocationDesk(_ca.Ca, _ca.Time).Revoke("alpha", mayBeManager: false).Revoked);
    }

    [Fact]
    public void A_former_manager_does_not_renew_a_name_that_is_another_s_by_now()
    {
        using var former = new TestMachine(_ca, "127.83.0.2");
        byte[] old = former.MadeInCopy("second");
        Assert.Equal(old, former.Decide(null, null, old).Certificate);
        _ca.TakeList(5, "manager 127.83.0.1 ca\nsecond 127.83.0.3\n");

        Decision refused = former.Decide(null, null, old);
        Assert.Equal(EnrolmentStatus.NotAdmitted, refused.Status);
        Assert.Contains("manager at 127.83.0.3", refused.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_newer_list_counts_at_once_and_neither_an_older_one_nor_none_brings_the_former_back()
    {
        using var thief = new TestMachine(_ca, "127.83.0.2");
        _ca.TakeList(5, "manager 127.83.0.1 ca\n");
        Assert.Null(_ca.Desk.Examine(thief.Ask(_ca.NewTicket())));
        _ca.TakeList(6, Two);
        Assert.Equal(EnrolmentStatus.AddressTaken, _ca.Desk.Examine(thief.Ask(_ca.NewTicket()))?.Status);
        _ca.TakeList(5, "manager 127.83.0.1 ca\n");
        Assert.Equal(EnrolmentStatus.AddressTaken, _ca.Desk.Examine(thief.Ask(_ca.NewTicket()))?.Status);
        Assert.Contains("number 5, and number 6 was there", _ca.Log, StringComparison.Ordinal);
        File.Delete(_ca.ListFile);
        Assert.Equal(EnrolmentStatus.AddressTaken, _ca.Desk.Examine(thief.Ask(_ca.NewTicket()))?.Status);
        _ca.TakeList(7, "manager 127.83.0.1 ca\nthird 127.83.0.3\n");
        Assert.Null(_ca.Desk.Examine(thief.Ask(_ca.NewTicket())));
    }

    [Theory]
    [InlineData("signature")]
    [InlineData("body")]
    [InlineData("empty")]
    [InlineData("large")]
    public void While_its_list_cannot_be_read_the_CA_signs_nothing_and_says_why_once(string fault)
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        switch (fault)
        {
            case "signature":
                _ca.TakeList(5, Two, other);
                break;
            case "body":
                _ca.TakeList(5, "second 127.83.0.2\n");
                break;
            default:
                File.WriteAllBytes(_ca.ListFile, new byte[fault == "large" ? 1 << 20 : 0]);
                break;
        }

        using var machine = new TestMachine(_ca, "127.83.0.7");
        string ticket = _ca.NewTicket();
        Assert.Equal(EnrolmentStatus.Busy, machine.Decide(ticket).Status);
        Assert.Equal(EnrolmentStatus.Busy, machine.Decide(ticket).Status);
        Assert.StartsWith($"managers list=no reason={_ca.ListFile} holds no list", Assert.Single(_ca.Log.Split('\n')), StringComparison.Ordinal);

        // Once it was read it counts, whatever becomes of the file.
        _ca.TakeList(6, Two);
        Assert.Equal(200, machine.Decide(ticket).Status);
        File.WriteAllBytes(_ca.ListFile, []);
        using var thief = new TestMachine(_ca, "127.83.0.2");
        Assert.Equal(EnrolmentStatus.AddressTaken, thief.Decide(ticket).Status);
    }
}
