"""What tidying does to answers: LoCoMo's conversations as the editor's episodes, asked before and after."""
