"""The app: the one controller, and the front ends and commands that are views over it.

Other programs take `cli.main`, `controller.Controller` with the events of `shown.events`, and `config`. No floor below
imports from here.
"""
