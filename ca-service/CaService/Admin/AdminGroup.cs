namespace CaService.Admin;

/// <summary>Who is an administrator by the machine's own word: root, and whom its pool.conf put into the group.</summary>
internal static class AdminGroup
{
    private const string Groups = "/etc/group", Root = "root";

    /// <summary>Whether an account is one, now.</summary>
    public static bool Has(string who) => who == Root || File.ReadLines(Groups).Any(line => IsOf(line, who));

    /// <summary>Whether a line of group(5) says so.</summary>
    internal static bool IsOf(string line, string who) =>
        line.Split(':') is [Agreed.AdminGroup, _, _, var members, ..] && members.Split(',', StringSplitOptions.TrimEntries).Contains(who) && who.Length > 0;
}
