"""What there is to show, before any front end draws it: events, chips, reasons, the status, and all of it as text.

All of it may be imported anywhere in the app; it imports `config` alone.
"""
