"""Reports as HTML, Markdown and plots."""
