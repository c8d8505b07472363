"""Which told sentence answers, which fact a line ends, what holds since: the readers' weights and cross-encoders.

To import: `reader_fit`, `cross_encoder_fit`, `crossed_fit`, `ended_fit`, `later_fit`, `asking_fit`, each by its `run`.
"""
