"""What a new line does to what is known: `chatmem eval changes`, over pairs written one by one.

Other rooms take `cli`.
"""
