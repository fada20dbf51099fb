namespace CaService.Tests;

/// <summary>Tickets of copies of the CA's folder: the operator makes them where the folder was made, the manager has another copy of it.</summary>
public sealed class TicketTests : AsyncTests
{
    private readonly TestCa _ca = new();

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public void A_ticket_that_a_copy_of_the_folder_made_admits_as_many_machines_as_it_says_and_no_more()
    {
        string ticket = TicketOfACopy(uses: 2);
        using var first = new TestMachine(_ca, "127.1.2.3");
        using var second = new TestMachine(_ca, "127.1.2.4");
        using var third = new TestMachine(_ca, "127.1.2.5");

        Assert.Null(_ca.Desk.Examine(first.Ask(ticket)));
        Assert.Equal(200, first.Decide(ticket).Status);
        Assert.Equal(200, second.Decide(ticket).Status);
        Assert.Equal(403, third.Decide(ticket).Status);
        Assert.Equal(2, _ca.Count("SELECT count(*) FROM ticket_uses"));
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM tickets WHERE uses = 2"));
        Assert.Null(_ca.Ca.Database.Read(Audit.FindBreak));
    }

    [Fact]
    public void It_ends_on_its_date()
    {
        string ticket = TicketOfACopy(uses: 2);
        using var first = new TestMachine(_ca, "127.1.2.3");
        using var second = new TestMachine(_ca, "127.1.2.4");
        Assert.Equal(200, first.Decide(ticket).Status);

        _ca.Time.Advance(TimeSpan.FromDays(366));

        Assert.Equal(403, second.Decide(ticket).Status);
    }

    [Fact]
    public void It_can_be_ended_before_anybody_came_by_it()
    {
        string ticket = TicketOfACopy(uses: 2);
        using var machine = new TestMachine(_ca, "127.1.2.3");

        Assert.True(_ca.Ca.Database.Write(transaction => Tickets.End(transaction, _ca.Ca.TicketKey, Ticket.IdOf(ticket), _ca.Time.GetUtcNow())));

        Assert.Equal(403, machine.Decide(ticket).Status);
    }

    [Fact]
    public void Who_changes_what_its_id_says_has_no_ticket()
    {
        string ticket = TicketOfACopy(uses: 2);
        string[] parts = ticket.Split('-', ':');
        using var machine = new TestMachine(_ca, "127.1.2.3");

        Assert.Equal(401, machine.Decide($"{parts[0]}-3-{parts[2]}:{parts[3]}").Status);
        Assert.Equal(401, machine.Decide($"{parts[0]}-2-9{parts[2]}:{parts[3]}").Status);
        Assert.Equal(401, machine.Decide($"{parts[0]}-02-{parts[2]}:{parts[3]}").Status);
        Assert.Equal(401, machine.Decide($"00000000-2-{parts[2]}:{parts[3]}").Status);
        Assert.Equal(401, machine.Decide($"{ticket}0").Status);
        Assert.Equal(401, machine.Decide(ticket[..^1]).Status);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM tickets"));
    }

    [Fact]
    public async Task Another_ca_s_ticket_is_none()
    {
        await using var other = new TestCa();
        using var machine = new TestMachine(_ca, "127.1.2.3");

        Assert.Equal(401, machine.Decide(other.NewTicket()).Status);
    }

    [Fact]
    public void A_ticket_from_before_ids_said_what_they_admit_goes_on()
    {
        const string Old = "76c9f6b8:381bd1d735ae6ff0f92645c17612331e";
        _ca.Ca.Database.Write(transaction => transaction.Run(
            "INSERT INTO tickets (id, hash, uses, not_after) VALUES ('76c9f6b8', @0, 1, @1)",
            System.Security.Cryptography.SHA256.HashData(System.Text.Encoding.UTF8.GetBytes(Old)),
            _ca.Time.GetUtcNow().AddDays(1).ToUnixTimeSeconds()));
        using var first = new TestMachine(_ca, "127.1.2.3");
        using var second = new TestMachine(_ca, "127.1.2.4");

        Assert.Equal(200, first.Decide(Old).Status);
        Assert.Equal(403, second.Decide(Old).Status);
    }

    /// <summary>A ticket of the same CA, of which this copy's database knows nothing.</summary>
    private string TicketOfACopy(int uses)
    {
        string folder = Path.Combine(_ca.Folder, "copy");
        Directory.CreateDirectory(folder);
        foreach (string name in Directory.GetFiles(_ca.StateFolder))
        {
            File.Copy(name, Path.Combine(folder, Path.GetFileName(name)));
        }

        using CaFolder copy = CaFolder.Open(folder);
        DateTimeOffset now = _ca.Time.GetUtcNow();
        return copy.Database.Write(transaction => Tickets.Create(transaction, copy.TicketKey, uses, now.AddDays(365), now));
    }
}
