"""What a line does to known rows: by rules of matter and holder, and by what the small model sees beyond them.

To import: `changed_facts.with_changes`, `changed_facts.is_mistaken`, `ended.ended`, `ended.settled`.
"""
