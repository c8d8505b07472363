"""Lines that wish something forgotten and lines that don't, and which facts such wishes mean (`rows`)."""
