"""Texts to vectors: import `minilm.load_embedder`, or `lazy.LazyEmbedder`, which loads it when it is first asked;
`convert` and `share` make the files that ship.
"""
