"""Finding what bears on a question: words, vectors, their ranking, and what fits into so many words. Import
`search.Searcher`, `vectors.Embedder`, `packing`, `ranker` and `fulltext`; the store offers all of it as
`store.search(...)`.
"""
