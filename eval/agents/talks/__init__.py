"""Scripted talks with the whole program: their form, what is checked, and running `chatmem` as a person would.

Import `script` for a script and its checks, `program` to run chats, `moments` for days that are told from today.
"""
