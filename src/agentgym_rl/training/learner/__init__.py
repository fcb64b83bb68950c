"""From episodes and advantages to better weights."""
