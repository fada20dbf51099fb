namespace Ipop.Linux.Polling;

/// <summary>A descriptor that is kept for whom it must not lack: given up when there is no other, taken back when there is.</summary>
public sealed class SpareDescriptor : IDisposable
{
    private FileDescriptor? _kept;

    /// <summary>Takes it, if it is not there and the kernel gives one.</summary>
    public void Take()
    {
        if (_kept is null)
        {
            var taken = new FileDescriptor(Interop.Libc.eventfd(0, Interop.Libc.EFD_CLOEXEC));
            if (taken.IsInvalid)
            {
                taken.Dispose();
            }
            else
            {
                _kept = taken;
            }
        }
    }

    /// <summary>Gives it to whoever asks next; false if it is gone already.</summary>
    public bool GiveUp()
    {
        bool isThere = _kept is not null;
        Dispose();
        return isThere;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _kept?.Dispose();
        _kept = null;
    }
}
