"""Hand-written dialogue material of our own, from which talks with their facts and questions are made.

To import: `generate.generate`, `told.told_talks`, `told.manner_talks` (all make a `talk.GoldTalk`),
`examples.topic_examples`, `asking.name_question`; what `spoil` takes facts from lies in `kinds`, `slots`, `phrases`
and `when`.
"""
