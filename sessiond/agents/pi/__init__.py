"""pi and the agents that keep its directories and its format: clanker, indusagi and companion."""
