"""Settings of Sphinx. make_site.py calls it with the staged copy of the documents as its source."""

project = "Myriad"
author = "the Myriad authors"
copyright = author
extensions = ["myst_parser"]
root_doc = "docs/index"
exclude_patterns = ["packaging", "extra", "style"]
html_theme = "furo"
html_title = "Myriad"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]  # the gallery's reports, and index.html of the whole site
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
pygments_style = "default"
