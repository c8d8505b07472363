"""The editor's episodes over LoCoMo's conversations: rewarded by the answers that a memory gives after a tidy."""
