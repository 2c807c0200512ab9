"""The network: messages, topics, MQTT client, outbox, clock offset, embedded broker."""
