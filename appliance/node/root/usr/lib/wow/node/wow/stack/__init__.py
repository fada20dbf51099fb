"""The modules that the pool publishes: what the CA signed is read, fetched and left for the initrd (docs/decisions/0066)."""
