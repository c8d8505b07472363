"""`chatmem chat`: the controller in line mode, at a terminal or in a pipe. What Ctrl+C does is in `ctrl_c`.

Other rooms take `command` (settings as flags, starting a chat) and `input.at_terminal`.
"""
