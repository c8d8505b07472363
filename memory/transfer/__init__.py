"""Export and import, as JSON, CSV and Markdown. Import `exporting` and `exchange` (preview and import);
the forms of the files are in `json_file` and `csv_file`.
"""
