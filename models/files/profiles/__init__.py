"""What each model can do and how it is talked to: import `profile.Profile` and `profile_of`, `make.make` for a profile
from what a model says of itself (`told`) and the table of families (`families.toml`).
"""
