"""Whose words are these: what a line says in its speaker's own voice, what it quotes, pastes or makes up, and what
of it is a secret.

Other rooms take `whose`, `own_words` and `others_words`, `secrets` and `touches`.
"""
