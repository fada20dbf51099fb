"""Modules that are developed in a running machine: what differs from the layers below, what of it is published, and in which form."""
