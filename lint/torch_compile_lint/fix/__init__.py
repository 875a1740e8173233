"""Applying fixes: which edits fit together, the new text, and files replaced in one step."""
