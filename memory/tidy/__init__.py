"""The editor's six tools over one memory, and what may be merged or split. Import `toolbox.MemoryTools`,
`run.RunLimits`, `schemas` for the tools as data, `grouping` and `proposals` for what to look at.
"""
