using System.Security.Cryptography;
using System.Text;

namespace CaService.Tests;

/// <summary>A folder as appliance/layers/stack makes it, with layers of random bytes.</summary>
internal sealed class TestStack
{
    private static readonly string[] SystemNames = ["base", "node", "kernel", "initrd"];

    private TestStack(string folder, PoolLayers stack) => (Folder, Stack) = (folder, stack);

    public string Folder { get; }

    public PoolLayers Stack { get; }

    /// <summary>Makes one that carries no system, in a folder of its own below another.</summary>
    /// <param name="within">That one.</param>
    /// <param name="layers">Name and size of each, which also say its bytes.</param>
    public static TestStack Make(string within, params (string Name, int Size)[] layers) => Make(within, [], layers);

    /// <summary>Makes one that carries its system.</summary>
    /// <param name="within">As of the other.</param>
    /// <param name="sizes">Of base, node, kernel and initrd.</param>
    /// <param name="layers">As of the other.</param>
    public static TestStack MakeSystem(string within, int[] sizes, params (string Name, int Size)[] layers) =>
        Make(within, [.. SystemNames.Zip(sizes)], layers);

    /// <summary>The same stack, in the same folder, with a delta more.</summary>
    /// <param name="file">Which of its files the delta makes.</param>
    /// <param name="from">The first digit of what it is made from.</param>
    /// <param name="size">Of the delta, which also says its bytes.</param>
    public TestStack WithDelta(int file, char from, int size)
    {
        byte[] bytes = new byte[size];
        new Random(from + size).NextBytes(bytes);
        var delta = new StackDelta(Stack.Files[file].Digest, new string(from, 64), size, Convert.ToHexStringLower(SHA256.HashData(bytes)));
        byte[] text = [.. Stack.Write(), .. Encoding.ASCII.GetBytes($"{Agreed.DeltaWord} {delta.File} {delta.From} {delta.Size} {delta.Digest}\n")];
        Assert.True(PoolLayers.TryRead(text, out PoolLayers? stack, out string reason), reason);
        File.WriteAllBytes(Path.Combine(Folder, delta.Digest), bytes);
        File.WriteAllBytes(Path.Combine(Folder, "stack"), text);
        return new TestStack(Folder, stack);
    }

    private static TestStack Make(string within, (string Name, int Size)[] system, (string Name, int Size)[] layers)
    {
        string folder = Directory.CreateDirectory(Path.Combine(within, $"stack-{string.Join('-', system.Concat(layers).Select(file => file.Name))}")).FullName;
        List<StackLayer> made = [];
        foreach ((string name, int size) in system.Concat(layers))
        {
            byte[] bytes = new byte[size];
            new Random(name[0] + size).NextBytes(bytes);
            var layer = new StackLayer(name, size, Convert.ToHexStringLower(SHA256.HashData(bytes)));
            File.WriteAllBytes(Path.Combine(folder, layer.Digest), bytes);
            made.Add(layer);
        }

        string reason = string.Empty;
        bool isGood = system.Length == 0
            ? PoolLayers.TryCreate(new string('b', 64), new string('c', 64), made, out PoolLayers? stack, out reason)
            : PoolLayers.TryCreate(made[..system.Length], made[system.Length..], out stack, out reason);
        Assert.True(isGood, reason);
        File.WriteAllBytes(Path.Combine(folder, "stack"), stack!.Write());
        return new TestStack(folder, stack);
    }

    public string FileOf(int file) => Path.Combine(Folder, Stack.Files[file].Digest);

    public byte[] BytesOf(int file) => File.ReadAllBytes(FileOf(file));
}
