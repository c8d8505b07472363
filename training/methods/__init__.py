"""The objectives, a file each: `sft.Sft`, `rwr.Rwr`, `dpo.Dpo`, `grpo.Grpo`, `epg.Epg`, `corrected.Correct`.

To import: these classes with their settings (`RwrConfig`, ...), by who starts a run; they know no agent.
"""
