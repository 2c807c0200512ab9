"""The pages: scoreboard, players, phone tables, the host; a replica of the evening log behind them."""
