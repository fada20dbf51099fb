namespace Ipop;

/// <summary>What a <see cref="NetworkWarning"/> is about.</summary>
public enum NetworkWarningKind
{
    /// <summary>Another node holds a name that this one wants.</summary>
    NameTaken,

    /// <summary>The certificate's address can't be had.</summary>
    Certificate,

    /// <summary>Hosts of the LAN find no place.</summary>
    LanFull,
}
