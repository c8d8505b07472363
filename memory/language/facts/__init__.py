"""What a stored fact tells: of which matter of whom (`matters`), what a line says of a change (`corrections`), and
whether one fact ends another (`states`).
"""
