"""Points that end no sentence, behind "Dr.", "e.g.", "z. B." and initials; and the letters of all Latin alphabets."""
