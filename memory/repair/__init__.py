"""A damaged database made whole again, and copies of a sound one: import `rescue.repair`, `copies.backup` and
`copies.restore`.
"""
