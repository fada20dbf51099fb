using System.Net;
using CaService.Admin;
using CaService.Est;

namespace CaService.Tests;

/// <summary>Two years of a CA: volunteers come, renew and go, strangers ask for what they can, administrators do their work. Nothing grows in the second one.</summary>
public sealed class LongLifeTests : AsyncTests
{
    private const int Weeks = 104;
    private const int Strangers = 24;

    /// <summary>Rows by which a week may differ from another: by the network somebody enrols once a quarter.</summary>
    private const int Spread = 8;

    /// <summary>Tables, and what keeps them small: nothing of the second year's, or the administrator alone, by so many rows.</summary>
    private static readonly Dictionary<string, Func<int, long>?> Tables = new()
    {
        ["certificates"] = null,
        ["tickets"] = null,
        ["ticket_uses"] = null,
        ["revocations"] = null,
        ["revocation_lists"] = _ => 1,
        ["policy"] = _ => 1,
        ["admissions"] = weeks => (2 * weeks) + Strangers,
        ["banned"] = weeks => weeks,
        ["heard"] = _ => 0,
        ["audit"] = weeks => (20 * weeks) + 20,
        ["audit_start"] = _ => 1,
    };

    /// <summary>What the server may hold; a field that is not here may hold nothing that strangers bring.</summary>
    private static readonly Dictionary<string, int> Most = new()
    {
        ["SourceLimiter._fullAt"] = SourceLimiter.MostSources,
        ["PageSessions._codes"] = PageSessions.Most,
        ["PageSessions._logins"] = PageSessions.Most,
        ["Seeders._known"] = 1 + Seeders.Most,
        ["SourcePlaces._taken"] = ServeSettings.MostConnections,
    };

    /// <summary>Objects that live as long as a command.</summary>
    private static readonly HashSet<string> Brief = ["Options", "Contents", "Overview"];

    private readonly TestCa _ca = new("127.0.0.0/8", "127.83.0.1");
    private readonly Dictionary<int, TestMachine> _volunteers = [];
    private int _asked;

    public override async ValueTask DisposeAsync()
    {
        _volunteers.Values.ToList().ForEach(one => one.Dispose());
        await _ca.DisposeAsync();
    }

    [Fact]
    public async Task Nothing_that_strangers_volunteers_or_time_bring_grows_for_ever()
    {
        await _ca.StartAsync();
        var sessions = new PageSessions(_ca.Time, _ => true);
        var seeders = new Seeders(_ca.Time, new Random(1));
        var limiter = new SourceLimiter(10, TimeSpan.FromSeconds(1), _ca.Time);
        var places = new SourcePlaces(8, ServeSettings.MostDownloadsOfOne);
        object[] roots = [_ca.Server, sessions, seeders, limiter, places];
        Dictionary<string, int> before = Held.By(roots), most = [];
        Dictionary<string, long> rows = [], first = [];
        for (int week = 0; week < Weeks; week++)
        {
            await LiveAsync(week);
            long told = Rows("audit");
            Ask(week);
            Memory(week, sessions, seeders, limiter, places);
            Assert.Equal(told, Rows("audit"));
            Prune();
            foreach ((string field, int count) in Held.By(roots))
            {
                most[field] = Math.Max(most.GetValueOrDefault(field), count);
            }

            foreach (string table in Names())
            {
                long count = Rows(table);
                Assert.True(Tables.TryGetValue(table, out Func<int, long>? limit), $"The table {table} is new: say in {nameof(Tables)} what keeps it small.");
                long bound = limit?.Invoke(week + 1) ?? (first.TryGetValue(table, out long former) ? former + Spread : long.MaxValue);
                Assert.True(count <= bound, $"{table} has {count} rows in week {week}, and should have {bound} at most.");
                rows[table] = Math.Max(rows.GetValueOrDefault(table), count);
            }

            first = week == Weeks / 2 ? new(rows) : first;
            _ca.Time.Advance(TimeSpan.FromDays(7));
        }

        Assert.All(most, one => Assert.InRange(one.Value, 0, Most.GetValueOrDefault(one.Key, before.GetValueOrDefault(one.Key))));
        Assert.All(Most.Keys, name => Assert.True(most.GetValueOrDefault(name) > before.GetValueOrDefault(name), $"nothing came to {name}"));
        Assert.Equal("", string.Join(' ', Held.Fields.Except(most.Keys).Where(name => !Brief.Contains(name.Split('.')[0]))));
        Assert.InRange(rows["certificates"], 50, 400);
        Assert.Null(_ca.Ca.Database.Read(Audit.FindBreak));
    }

    /// <summary>
    /// A week of those who belong to the pool: three come, those that are due renew, those of eight weeks ago go, one in two weeks is revoked, and the administrator
    /// decides on two of those who wait.
    /// </summary>
    private async Task LiveAsync(int week)
    {
        string ticket = _ca.NewTicket(uses: 5, life: TimeSpan.FromDays(7));
        SetPolicy("ticket");
        for (int i = 0; i < 3; i++)
        {
            var machine = new TestMachine(_ca, $"127.83.{1 + (week % 200)}.{1 + i}");
            _volunteers[(3 * week) + i] = machine;
            Assert.Equal(200, machine.Decide(ticket, $"m{week}-{i}").Status);
        }

        foreach ((int number, TestMachine machine) in _volunteers.OrderBy(one => one.Key).ToList())
        {
            if (number / 3 <= week - 8)
            {
                _volunteers.Remove(number);
                machine.Dispose();
            }
            else if (number / 3 < week)
            {
                Assert.Equal(200, machine.Decide(null).Status);
            }
        }

        var revoker = new RevocationDesk(_ca.Ca, _ca.Time);
        if (week % 2 == 1)
        {
            Assert.InRange(revoker.Revoke($"m{week}-2", false).Revoked, 1, 2);
            _volunteers.Remove((3 * week) + 2, out TestMachine? revoked);
            revoked!.Dispose();
        }

        revoker.Current();
        foreach (AdmissionRow one in _ca.Ca.Database.Read(Admissions.All).Where(one => one.State == AdmissionState.Waiting).Take(2))
        {
            AdmissionState word = one.Node[0] < '8' ? AdmissionState.Approved : AdmissionState.Denied;
            _ca.Ca.Database.Write(transaction => Admissions.Decide(transaction, one.Node, word, _ca.Time.GetUtcNow()));
        }

        // By the network, once a quarter.
        if (week % 13 == 0)
        {
            _ca.MakeManager();
            using var machine = new TestMachine(_ca, $"127.84.0.{1 + (week / 13)}");
            using var stranger = new TestMachine(_ca, $"127.84.1.{1 + (week / 13)}");
            Assert.NotNull((await machine.EnrolAsync(ticket, "late")).Certificate);
            Assert.Equal(EnrolmentStatus.NotAdmitted, (await stranger.EnrolWithoutListenerAsync("nobody:s ticket")).Status);
        }
    }

    /// <summary>A week of strangers: every other week they show tickets that are none, else they wait.</summary>
    private void Ask(int week)
    {
        bool waits = week % 2 == 0;
        SetPolicy(waits ? "manual" : "ticket");
        for (int i = 0; i < Strangers; i++)
        {
            using var stranger = new TestMachine(_ca, $"127.85.{_asked / 200 % 250}.{1 + (_asked % 200)}");
            _asked++;
            int status = stranger.Decide($"{_asked:x8}-9-99999999999:{new string('a', 32)}", $"x{_asked}").Status;
            Assert.Equal(waits ? EnrolmentStatus.Waiting : EnrolmentStatus.NotAdmitted, status);
        }
    }

    private static void Memory(int week, PageSessions sessions, Seeders seeders, SourceLimiter limiter, SourcePlaces places)
    {
        for (int i = 0; i < 100; i++)
        {
            var source = new IPAddress([10, (byte)week, 0, (byte)i]);
            limiter.TryTake(source);
            places.TryTake(source);
            seeders.Note("file", source, [new StackLayer("waves", 1, "file")]);
            string who = $"admin{i}";
            Assert.True(sessions.TryLogin(sessions.MakeCode(who), out _, out _));
            sessions.MakeCode(who);
            Assert.False(sessions.TryLogin($"{week}-{i}", out _, out _));
        }
    }

    private void SetPolicy(string name) => _ca.Ca.Database.Write(transaction => transaction.Run("INSERT OR REPLACE INTO policy (one, name) VALUES (1, @0)", name));

    private void Prune()
    {
        // A week has as many minutes for it.
        for (int steps = 0; Retention.Step(_ca.Ca.Database, _ca.Time.GetUtcNow()) > 0; steps++)
        {
            Assert.True(steps < 7 * 24 * 60);
        }
    }

    private List<string> Names() =>
        _ca.Ca.Database.Read(transaction => transaction.Query("SELECT name FROM sqlite_schema WHERE type = 'table'", row => row.GetString(0)));

    private long Rows(string table) => _ca.Count($"SELECT count(*) FROM {table}");
}
