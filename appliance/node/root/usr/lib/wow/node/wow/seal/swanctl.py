"""swanctl.conf: transport mode between every two machines of the pool, on demand.

What is not obvious was measured by attack. The peer's address is bound by the RFC 3779 block in its certificate (plugin addrblock), not by
its name. `reqid` is fixed: with the kernel's own, two machines that begin at once drop every packet. No MOBIKE and no UDP encapsulation:
both let an SA move to another address. Reauthentication, not rekeying: only that looks at the certificate again."""


def config(address: str, subnet: str) -> str:
    """The text for a machine that holds node.pem, node.key and ca.pem for this address."""
    return f"""connections {{
  overlay {{
    version = 2
    local_addrs = {address}
    remote_addrs = {subnet}
    mobike = no
    encap = no
    fragmentation = yes
    send_certreq = no
    send_cert = always
    unique = replace
    keyingtries = 1
    dpd_delay = 30s
    rekey_time = 0
    reauth_time = 8h
    over_time = 10m
    proposals = aes256gcm16-prfsha384-x25519,aes256gcm16-prfsha384-ecp256
    local {{
      auth = pubkey
      certs = node.pem
      id = {address}
    }}
    remote {{
      auth = pubkey
      id = %any
      cacerts = ca.pem
      revocation = relaxed
    }}
    children {{
      any {{
        mode = transport
        reqid = 77
        local_ts = {address}/32
        remote_ts = dynamic
        esp_proposals = aes256gcm16-x25519,aes256gcm16-ecp256
        rekey_time = 1h
        dpd_action = clear
        start_action = trap
      }}
    }}
  }}
  shunts {{
    remote_addrs = 127.0.0.1
    children {{
      self {{
        mode = pass
        local_ts = {address}/32
        remote_ts = {address}/32
        start_action = trap
      }}
    }}
  }}
}}
"""
