"""Everything on one machine: broker, head, pages and phone tables, for a group without a single Pi."""
