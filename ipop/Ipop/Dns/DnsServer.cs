namespace Ipop.Dns;

/// <summary>
/// Authoritative DNS (RFC 1035) for POOL.internal and the subnet's reverse zones: hosts, <c>a-b-c-d</c>, the manager, its
/// services. Everything else is refused; the guest's resolver knows whom to ask instead.
/// </summary>
public sealed class DnsServer
{
    /// <summary>Queries that may wait for the DHT; of more, those fail at once whose answer this node does not know.</summary>
    public const int OpenQueries = 512;

    private readonly VirtualNetworkOptions _options;
    private readonly Names _names;
    private readonly string[] _zone;
    private int _open;

    // A job of this machine may ask for names without end.
    private bool HasRoom => _open <= OpenQueries;

    internal DnsServer(VirtualNetworkOptions options, Names names)
    {
        (_options, _names) = (options, names);
        _zone = options.Zone.Split('.');
    }

    /// <summary>
    /// Answers one query, now or when the DHT has answered. What deserves no reply gets none. Nothing that arrives makes it throw.
    /// </summary>
    /// <param name="now">The present.</param>
    /// <param name="query">A DNS message without length prefix.</param>
    /// <param name="reply">Takes the reply, at most once; the memory is the taker's.</param>
    /// <param name="mayAsk">Whether the DHT may be asked for who asks here; called only where it would be. Null: it may.</param>
    public void Answer(TimeSpan now, ReadOnlySpan<byte> query, Action<ReadOnlyMemory<byte>> reply, Func<bool>? mayAsk = null)
    {
        ArgumentNullException.ThrowIfNull(reply);
        if (DnsQuery.Read(query) is not { } question)
        {
            return;
        }

        if (question.Error != DnsResponseCode.NoError)
        {
            reply(new DnsReply(question, question.Error).Finish());
        }
        else if (EndsWith(question.Labels, _zone))
        {
            AnswerForward(now, question, reply, MayAsk);
        }
        else if (EndsWith(question.Labels, ["in-addr", "arpa"]))
        {
            AnswerReverse(now, question, reply, MayAsk);
        }
        else
        {
            reply(new DnsReply(question, DnsResponseCode.Refused).Finish());
        }

        bool MayAsk() => HasRoom && mayAsk?.Invoke() is not false;
    }

    private static bool EndsWith(ReadOnlySpan<string> labels, ReadOnlySpan<string> end) =>
        labels.Length >= end.Length && labels[^end.Length..].SequenceEqual(end);

    private void AnswerForward(TimeSpan now, DnsQuery question, Action<ReadOnlyMemory<byte>> reply, Func<bool> mayAsk)
    {
        string[] name = question.Labels[..^_zone.Length];
        switch (name)
        {
            case []:
                reply(Apex(question, _zone.Length));
                break;
            case ["_tcp"]:
                reply(Negative(question, DnsResponseCode.NoError, _zone.Length));
                break;
            case ["_wow-ca", "_tcp"]:
                AnswerService(now, question, HostLabel.Authority, _options.CaPort, reply, mayAsk);
                break;
            case ["_condor", "_tcp"]:
                AnswerService(now, question, HostLabel.Manager, Agreed.CondorPort, reply, mayAsk);
                break;
            case [string label]:
                _open++;
                _names.Find(now, label, mayAsk, (_, answer) =>
                {
                    _open--;
                    reply(Host(question, answer));
                });
                break;
            default:
                reply(Negative(question, DnsResponseCode.NameError, _zone.Length));
                break;
        }
    }

    private void AnswerService(
        TimeSpan now, DnsQuery question, string service, ushort port, Action<ReadOnlyMemory<byte>> reply, Func<bool> mayAsk)
    {
        _open++;
        _names.Find(now, service, mayAsk, (_, answer) =>
        {
            _open--;
            if (answer.Address is not { } address || question.Type is not (DnsType.Srv or DnsType.Any))
            {
                reply(Missing(question, answer.Status));
                return;
            }

            var message = new DnsReply(question, DnsResponseCode.NoError);
            message.AddService($"{service}.{_options.Zone}", port, address);
            reply(message.Finish());
        });
    }

    private void AnswerReverse(TimeSpan now, DnsQuery question, Action<ReadOnlyMemory<byte>> reply, Func<bool> mayAsk)
    {
        var name = ReverseName.Read(question.Labels, _options.Subnet);
        switch (name.Kind)
        {
            case ReverseKind.Foreign:
                reply(new DnsReply(question, DnsResponseCode.Refused).Finish());
                break;
            case ReverseKind.Apex:
                reply(Apex(question, name.ZoneLabels));
                break;
            case ReverseKind.Host when question.Type is DnsType.Ptr or DnsType.Any:
                _open++;
                _names.FindHost(now, name.Address, mayAsk, (_, host) =>
                {
                    _open--;
                    var message = new DnsReply(question, host is null ? DnsResponseCode.ServerFailure : DnsResponseCode.NoError);
                    if (host is not null)
                    {
                        message.AddPointer($"{host}.{_options.Zone}");
                    }

                    reply(message.Finish());
                });
                break;
            case ReverseKind.Missing:
                reply(Negative(question, DnsResponseCode.NameError, name.ZoneLabels));
                break;
            default:
                reply(Negative(question, DnsResponseCode.NoError, name.ZoneLabels));
                break;
        }
    }

    private ReadOnlyMemory<byte> Host(DnsQuery question, NameAnswer answer)
    {
        if (answer.Address is not { } address || question.Type is not (DnsType.A or DnsType.Any))
        {
            return Missing(question, answer.Status);
        }

        var message = new DnsReply(question, DnsResponseCode.NoError);
        message.AddAddress(address);
        return message.Finish();
    }

    /// <summary>No record of the wanted type: of a name that is there, of one that is not, or nobody knows.</summary>
    private ReadOnlyMemory<byte> Missing(DnsQuery question, NameStatus status) => status switch
    {
        NameStatus.Found => Negative(question, DnsResponseCode.NoError, _zone.Length),
        NameStatus.NotFound => Negative(question, DnsResponseCode.NameError, _zone.Length),
        _ => new DnsReply(question, DnsResponseCode.ServerFailure).Finish(),
    };

    private ReadOnlyMemory<byte> Apex(DnsQuery question, int zoneLabels)
    {
        var message = new DnsReply(question, DnsResponseCode.NoError);
        if (question.Type == DnsType.Ns)
        {
            message.AddNameServer(_options.Zone, _options.Subnet.Gateway);
            return message.Finish();
        }

        message.AddAuthority(question.Type is DnsType.Soa or DnsType.Any, zoneLabels, _options.Zone);
        return message.Finish();
    }

    private ReadOnlyMemory<byte> Negative(DnsQuery question, DnsResponseCode code, int zoneLabels)
    {
        var message = new DnsReply(question, code);
        message.AddAuthority(isAnswer: false, zoneLabels, _options.Zone);
        return message.Finish();
    }
}
