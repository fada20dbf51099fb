using System.Runtime.CompilerServices;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Fuzz.Coverage;

/// <summary>
/// Writes an assembly anew with a probe before each statement that its symbols name: it sets one byte of an array that all assemblies share. The same
/// bytes steer what is kept and tell which lines were reached.
/// </summary>
internal sealed class ProbeWriter : IDisposable
{
    /// <summary>The type and the static field by which an assembly finds the array.</summary>
    public const string HolderName = "Fuzz.Coverage.Reached", FieldName = "Statements";

    private readonly DefaultAssemblyResolver _resolver = new();

    /// <summary>Finds what an assembly refers to in these folders.</summary>
    public ProbeWriter(IEnumerable<string> folders)
    {
        foreach (string folder in folders)
        {
            _resolver.AddSearchDirectory(folder);
        }
    }

    /// <summary>Statements so far, by the index of their byte.</summary>
    public List<Line> Statements { get; } = [];

    /// <summary>The assembly with probes.</summary>
    public MemoryStream Write(string path)
    {
        using ModuleDefinition module = ModuleDefinition.ReadModule(path, new ReaderParameters { ReadSymbols = true, AssemblyResolver = _resolver });
        List<TypeDefinition> types = [.. module.GetTypes()];
        FieldReference reached = AddHolder(module);
        foreach (TypeDefinition type in types)
        {
            string name = type.FullName.Split('/')[0];
            foreach (MethodDefinition method in type.Methods.Where(method => method.HasBody && method.DebugInformation.HasSequencePoints && !IsMade(method)))
            {
                AddProbes(method, name, reached);
            }
        }

        var written = new MemoryStream();
        module.Write(written);
        written.Position = 0;
        return written;
    }

    /// <inheritdoc/>
    public void Dispose() => _resolver.Dispose();

    /// <summary>Whether the compiler made it: the accessors of a property or a record's parameter without code read nothing.</summary>
    private static bool IsMade(MethodDefinition method) =>
        (method.IsGetter || method.IsSetter) && method.CustomAttributes.Any(attribute => attribute.AttributeType.Name == nameof(CompilerGeneratedAttribute));

    private static FieldDefinition AddHolder(ModuleDefinition module)
    {
        string[] name = HolderName.Split('.');
        var holder = new TypeDefinition(
            string.Join('.', name[..^1]), name[^1], TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed, module.TypeSystem.Object);
        var reached = new FieldDefinition(FieldName, FieldAttributes.Public | FieldAttributes.Static, new ArrayType(module.TypeSystem.Byte));
        holder.Fields.Add(reached);
        module.Types.Add(holder);
        return reached;
    }

    private void AddProbes(MethodDefinition method, string type, FieldReference reached)
    {
        MethodBody body = method.Body;
        Dictionary<int, Instruction> places = body.Instructions.ToDictionary(instruction => instruction.Offset);
        List<SequencePoint> points = [.. method.DebugInformation.SequencePoints.Where(point => !point.IsHidden)];
        body.SimplifyMacros();
        ILProcessor code = body.GetILProcessor();
        foreach (SequencePoint point in points)
        {
            // What jumps to the statement must pass its probe, so the probe takes the instruction's own place.
            Instruction place = places[point.Offset];
            var moved = Instruction.Create(OpCodes.Nop);
            (moved.OpCode, moved.Operand) = (place.OpCode, place.Operand);
            (place.OpCode, place.Operand) = (OpCodes.Ldsfld, reached);
            Instruction last = place;
            foreach (Instruction next in (Instruction[])[Instruction.Create(OpCodes.Ldc_I4, Statements.Count), Instruction.Create(OpCodes.Ldc_I4_1), Instruction.Create(OpCodes.Stelem_I1), moved])
            {
                code.InsertAfter(last, next);
                last = next;
            }

            Statements.Add(new Line(type, Path.GetFileName(point.Document.Url), point.StartLine));
        }

        body.OptimizeMacros();
    }
}
