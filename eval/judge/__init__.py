"""A model as judge of answers, and what shows how far it can be trusted.

Import `judge.judge_one`, and `probe.probes` for the made-up answers that try a judge.
"""
