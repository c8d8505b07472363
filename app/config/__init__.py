"""What the person and the machine decide: settings, paths, time zone, and how text and failures are put.

All of it may be imported anywhere in the app; it imports nothing of the app itself.
"""
