"""What the chat asks by itself, and waits for a yes or no to."""
