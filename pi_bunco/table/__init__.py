"""The table service: devices in, facts out, lights back; it plays on without the head."""
