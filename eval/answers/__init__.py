"""Every system answers every question of a data set: `chatmem eval msc | locomo | longmemeval | beam | personamem`.

Import `run.answer_all` with an `AnswerPlan`; `systems` and `baselines` say what is compared, `cost` what it will cost.
"""
