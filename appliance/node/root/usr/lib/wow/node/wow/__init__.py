"""The node's programs. Rooms: lib (what all use), config (pool.conf and what follows from it), seal (fence and IPsec), condor, join (from an
address to a working member), agent (what root does for users), doctor, verbs (of `wow`). A room is a package so that only what is needed loads."""
