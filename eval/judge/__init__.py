"""A model as judge of answers, and what shows how far it can be trusted.

Import `judge.judge_one`, or what it is made of; `probe.probes` for the made-up answers that try a judge, and
`probe.separation` for what came of them.
"""
