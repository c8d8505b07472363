"""Floor 4: the app: settings, controller, command line, front ends."""
