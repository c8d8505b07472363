"""The page in the browser (Gradio): a thin view over the controller, one for each person and window.

Nothing here is imported by other rooms; `server` serves `page`.
"""
