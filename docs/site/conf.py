# Sphinx reads this for tools/docs. All pages are Markdown; nothing is loaded from other hosts.
project = 'tessera'
author = 'the tessera authors'
copyright = author

extensions = ['myst_parser']
source_suffix = {'.md': 'markdown'}
exclude_patterns = []
nitpicky = True

myst_enable_extensions = ['deflist']
myst_heading_anchors = 4
myst_links_external_new_tab = False

html_theme = 'furo'
html_title = 'tessera'
html_static_path = ['_static']
html_css_files = ['tessera.css']
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
html_theme_options = {
    'navigation_with_keys': True,
    'light_css_variables': {'font-stack': 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif'},
}
pygments_style = 'tango'
pygments_dark_style = 'github-dark'
highlight_language = 'text'
