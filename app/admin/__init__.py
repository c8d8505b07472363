"""Looking after an installation: models, adapters, accounts and the doctor's looks.

Other rooms take `accounts` (who may sign in) and `adapters.personal_folder`; the commands are found by `cli.py` alone.
"""
