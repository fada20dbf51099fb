using System.Reflection;
using System.Runtime.InteropServices;
using SQLitePCL;

namespace CaService;

/// <summary>Debian's own SQLite behind Microsoft.Data.Sqlite, so that Debian's security updates reach it (docs/decisions/0004).</summary>
internal static class SqliteEngine
{
    private const string NativeName = "libsqlite3.so.0";
    private static readonly Lazy<bool> Loaded = new(Load);

    /// <summary>Loads it, once a process.</summary>
    /// <exception cref="UserError">It is not installed.</exception>
    public static void Use() => _ = Loaded.Value;

    private static bool Load()
    {
        if (!NativeLibrary.TryLoad(NativeName, out nint handle))
        {
            throw new UserError($"{NativeName} is not on this machine: install Debian's package libsqlite3-0.");
        }

        Assembly provider = typeof(SQLite3Provider_e_sqlite3).Assembly;
        NativeLibrary.SetDllImportResolver(provider, (name, _, _) => name == "e_sqlite3" ? handle : 0);
        raw.SetProvider(new SQLite3Provider_e_sqlite3());
        return true;
    }
}
