"""What rows are made from: data sets as files, talks from our own templates, memories spoiled on purpose.

To import: `files.read_json`, `files.read_json_lines`, `split.split_conversations`, `split.at_most`,
`scratch_store.scratch_store`, `speaker_names.two_names`, `chat_questions.read_questions`, `spoil.spoil` and the room
`templates`.
"""
