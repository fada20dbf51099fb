namespace Brunet.Sessions;

/// <summary>
/// Random bits that are made when they are asked for, by what is not part of this machine's memory. Two machines that were loaded from
/// one snapshot have the same memory, and so the same generators in it; they must not have the same nonces.
/// </summary>
public interface IHardwareRandom
{
    /// <summary>64 fresh bits. Nothing of them may be made or kept ahead.</summary>
    ulong Draw();
}
