<#
.SYNOPSIS
Makes a Hyper-V machine of the VHDX of the same name beside this script, and starts it.

.DESCRIPTION
In a PowerShell that was opened as administrator:

    powershell -ExecutionPolicy Bypass -File .\NAME.ps1
    powershell -ExecutionPolicy Bypass -File .\NAME.ps1 -Generation 1 -Iso NAME-config.iso

The disk is used where it lies: the machine's files are on it from then on.
#>
param(
    [string] $Disk = '',
    [string] $Name = '',
    # 2 starts by UEFI, 1 by BIOS, which Windows before 8.1 and Server 2012 R2 have alone.
    [ValidateSet(1, 2)] [int] $Generation = 2,
    # It leads out by the computer's own address. Managers, and machines to log in to, need an external one.
    [string] $Switch = 'Default Switch',
    # The pool's configuration as a CD, where the VHDX holds none.
    [string] $Iso = '',
    [int] $Processors = 2,
    [long] $Memory = 1GB
)
$ErrorActionPreference = 'Stop'
# Not as defaults above: Windows' own PowerShell does not know there where the script lies.
if (-not $Disk) { $Disk = [IO.Path]::ChangeExtension($PSCommandPath, '.vhdx') }
if (-not $Name) { $Name = [IO.Path]::GetFileNameWithoutExtension($Disk) }

if (-not (Get-Command New-VM -ErrorAction SilentlyContinue)) {
    throw 'Hyper-V is not switched on. Settings > Optional features > More Windows features: tick Hyper-V; then start Windows again.'
}
if (-not (Test-Path -LiteralPath $Disk)) { throw "${Disk}: no such file. Put it beside this script, or name it with -Disk." }
if ($Iso -and -not (Test-Path -LiteralPath $Iso)) { throw "${Iso}: no such file." }
if (Get-VM -Name $Name -ErrorAction SilentlyContinue) { throw "There is a machine $Name already. Give another name with -Name." }
if (-not (Get-VMSwitch -Name $Switch -ErrorAction SilentlyContinue)) {
    throw "There is no switch $Switch. Name one of these with -Switch: $((Get-VMSwitch).Name -join ', ')"
}
$Disk = (Resolve-Path -LiteralPath $Disk).ProviderPath

# Hyper-V opens no file that Windows took for a sparse one when it was unpacked.
fsutil sparse setflag "$Disk" 0 | Out-Null

New-VM -Name $Name -Generation $Generation -MemoryStartupBytes $Memory -VHDPath $Disk -SwitchName $Switch | Out-Null
# A machine that went back to a checkpoint would tell its pool of a past that is over.
Set-VM -Name $Name -ProcessorCount $Processors -StaticMemory -AutomaticCheckpointsEnabled $false -CheckpointType Disabled `
    -AutomaticStopAction ShutDown
if ($Generation -eq 2) {
    # The boot loader is signed by Microsoft's key for other makers' systems; this firmware else knows that for Windows alone.
    Set-VMFirmware -VMName $Name -EnableSecureBoot On -SecureBootTemplate MicrosoftUEFICertificateAuthority
}
if ($Iso) {
    $Iso = (Resolve-Path -LiteralPath $Iso).ProviderPath
    if ($Generation -eq 2) { Add-VMDvdDrive -VMName $Name -Path $Iso } else { Set-VMDvdDrive -VMName $Name -Path $Iso }
}
Start-VM -Name $Name
Write-Output "$Name is started. Its window: vmconnect localhost $Name"
