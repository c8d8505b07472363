"""What leans on the talk before it: questions ("and hers?"), and lines that go on ("His hand hardly works").

To import: `questions` (`leans`, `made_whole`), `talked_of.named_in_talk`, `lines` (`own_answer`, `both_of`,
`other_of`).
"""
