"""What was told of the very one or thing that a question asks of, and a reply held against it.

To import: `known.Known`, `read_off` (`read_off`, `misses`), `elsewhere.elsewhere`, `people` (`known`,
`asked`), `overview` (`person`, `of_person`), `yes_no` (`over`, `taste`).
"""
