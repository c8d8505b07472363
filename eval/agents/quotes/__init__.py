"""Whose words a line holds: `chatmem eval quotes`, over lines written one by one, half of them honest.

Other rooms take `cli`.
"""
