using System.Security.Cryptography;

namespace CaService.Tests;

/// <summary>A folder as appliance/layers/stack makes it, with layers of random bytes.</summary>
internal sealed class TestStack
{
    private TestStack(string folder, PoolLayers stack) => (Folder, Stack) = (folder, stack);

    public string Folder { get; }

    public PoolLayers Stack { get; }

    /// <summary>Makes one in a folder of its own below another.</summary>
    /// <param name="within">That one.</param>
    /// <param name="layers">Name and size of each, which also say its bytes.</param>
    public static TestStack Make(string within, params (string Name, int Size)[] layers)
    {
        string folder = Directory.CreateDirectory(Path.Combine(within, $"stack-{string.Join('-', layers.Select(layer => layer.Name))}")).FullName;
        List<StackLayer> made = [];
        foreach ((string name, int size) in layers)
        {
            byte[] bytes = new byte[size];
            new Random(name[0] + size).NextBytes(bytes);
            var layer = new StackLayer(name, size, Convert.ToHexStringLower(SHA256.HashData(bytes)));
            File.WriteAllBytes(Path.Combine(folder, layer.Digest), bytes);
            made.Add(layer);
        }

        Assert.True(PoolLayers.TryCreate(new string('b', 64), new string('c', 64), made, out PoolLayers? stack, out string reason), reason);
        File.WriteAllBytes(Path.Combine(folder, "stack"), stack.Write());
        return new TestStack(folder, stack);
    }

    public string FileOf(int layer) => Path.Combine(Folder, Stack.Layers[layer].Digest);

    public byte[] BytesOf(int layer) => File.ReadAllBytes(FileOf(layer));
}
