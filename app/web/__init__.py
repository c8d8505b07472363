"""The page in the browser (Gradio): a thin view over the controller, one for each person and window."""
