"""The evening log: entries in a chain, kept by the head and its replicas."""
