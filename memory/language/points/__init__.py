"""Points that end no sentence: behind "Dr.", "e.g.", "z. B.", initials and numbers."""
