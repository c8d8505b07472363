"""What the official files hold, as values: no store, no model.

Import the loader of a data set from the file of its name, and `cases` for its questions in the form of all data sets.
"""
