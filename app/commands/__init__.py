"""One module a command: `register(parser)` adds its arguments and sets `act(args, context) -> exit code`."""
