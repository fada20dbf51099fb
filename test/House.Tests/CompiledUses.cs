using System.Collections.Immutable;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace House.Tests;

/// <summary>
/// Which types of an assembly use which others of it: by base, interface, field, signature, local variable or instruction. However the source names a type, or if
/// it names none because the compiler infers it, here it is named.
/// </summary>
internal sealed class CompiledUses(CompiledAssembly assembly) : ISignatureTypeProvider<bool, object?>
{
    private static readonly Dictionary<short, OperandType> Operands =
        typeof(OpCodes).GetFields().Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value, code => code.OperandType);

    private readonly MetadataReader _metadata = assembly.Metadata;
    private readonly HashSet<TypeDefinitionHandle> _seen = [];

    /// <summary>The type that people wrote: not what stands in it, nor what the compiler made in it for a lambda.</summary>
    public TypeDefinitionHandle Outermost(TypeDefinitionHandle type) =>
        _metadata.GetTypeDefinition(type).GetDeclaringType() is { IsNil: false } outer ? Outermost(outer) : type;

    /// <summary>The types that one uses, each as its outermost.</summary>
    public HashSet<TypeDefinitionHandle> Of(TypeDefinitionHandle handle)
    {
        _seen.Clear();
        TypeDefinition type = _metadata.GetTypeDefinition(handle);
        See(type.BaseType);
        foreach (InterfaceImplementationHandle one in type.GetInterfaceImplementations())
            See(_metadata.GetInterfaceImplementation(one).Interface);
        See(type.GetGenericParameters());
        foreach (FieldDefinitionHandle field in type.GetFields())
            _metadata.GetFieldDefinition(field).DecodeSignature(this, null);
        foreach (MethodDefinitionHandle method in type.GetMethods())
            See(_metadata.GetMethodDefinition(method));
        return [.. _seen.Select(Outermost)];
    }

    private void See(MethodDefinition method)
    {
        method.DecodeSignature(this, null);
        See(method.GetGenericParameters());
        if (method.RelativeVirtualAddress == 0)
            return;
        MethodBodyBlock body = assembly.Block(method);
        if (!body.LocalSignature.IsNil)
            _metadata.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(this, null);
        foreach (ExceptionRegion region in body.ExceptionRegions)
            See(region.CatchType);
        BlobReader code = body.GetILReader();
        while (code.RemainingBytes > 0)
            SeeInstruction(ref code);
    }

    /// <summary>ECMA-335 III.1.2: the size of what follows an instruction's code is the code's.</summary>
    private void SeeInstruction(ref BlobReader code)
    {
        int value = code.ReadByte();
        switch (Operands[(short)(value == 0xfe ? 0xfe00 | code.ReadByte() : value)])
        {
            case OperandType.InlineNone:
                break;
            case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                See(MetadataTokens.EntityHandle(code.ReadInt32()));
                break;
            case OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar:
                code.Offset += sizeof(byte);
                break;
            case OperandType.InlineVar:
                code.Offset += sizeof(short);
                break;
            case OperandType.InlineI8 or OperandType.InlineR:
                code.Offset += sizeof(long);
                break;
            case OperandType.InlineSwitch:
                int targets = code.ReadInt32();
                code.Offset += sizeof(int) * targets;
                break;
            default:
                code.Offset += sizeof(int);
                break;
        }
    }

    private void See(GenericParameterHandleCollection parameters)
    {
        foreach (GenericParameterHandle parameter in parameters)
        {
            foreach (GenericParameterConstraintHandle constraint in _metadata.GetGenericParameter(parameter).GetConstraints())
                See(_metadata.GetGenericParameterConstraint(constraint).Type);
        }
    }

    private void See(EntityHandle handle)
    {
        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition when !handle.IsNil:
                _seen.Add((TypeDefinitionHandle)handle);
                break;
            case HandleKind.TypeSpecification:
                _metadata.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(this, null);
                break;
            case HandleKind.MethodDefinition:
                _seen.Add(_metadata.GetMethodDefinition((MethodDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.FieldDefinition:
                _seen.Add(_metadata.GetFieldDefinition((FieldDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.MemberReference:
                See(_metadata.GetMemberReference((MemberReferenceHandle)handle).Parent);
                break;
            case HandleKind.MethodSpecification:
                MethodSpecification method = _metadata.GetMethodSpecification((MethodSpecificationHandle)handle);
                See(method.Method);
                method.DecodeSignature(this, null);
                break;
        }
    }

    bool ISimpleTypeProvider<bool>.GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => _seen.Add(handle);

    bool ISignatureTypeProvider<bool, object?>.GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    bool ISimpleTypeProvider<bool>.GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => false;

    bool ISimpleTypeProvider<bool>.GetPrimitiveType(PrimitiveTypeCode typeCode) => false;

    bool IConstructedTypeProvider<bool>.GetGenericInstantiation(bool genericType, ImmutableArray<bool> typeArguments) => false;

    bool IConstructedTypeProvider<bool>.GetArrayType(bool elementType, ArrayShape shape) => false;

    bool IConstructedTypeProvider<bool>.GetByReferenceType(bool elementType) => false;

    bool IConstructedTypeProvider<bool>.GetPointerType(bool elementType) => false;

    bool ISZArrayTypeProvider<bool>.GetSZArrayType(bool elementType) => false;

    bool ISignatureTypeProvider<bool, object?>.GetFunctionPointerType(MethodSignature<bool> signature) => false;

    bool ISignatureTypeProvider<bool, object?>.GetGenericMethodParameter(object? genericContext, int index) => false;

    bool ISignatureTypeProvider<bool, object?>.GetGenericTypeParameter(object? genericContext, int index) => false;

    bool ISignatureTypeProvider<bool, object?>.GetModifiedType(bool modifier, bool unmodifiedType, bool isRequired) => false;

    bool ISignatureTypeProvider<bool, object?>.GetPinnedType(bool elementType) => false;
}
