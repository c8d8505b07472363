"""The two agents that a reply needs: import `retrieval.RetrievalAgent`, `answer.AnswerAgent` and
`answer.memory_lines`.
"""
