"""Writes the heading of its column into each cell of the tables that a phone shows row by row."""
import html
import re

TABLE = re.compile(r'<div class="stacked">.*?</table>', re.S)
CELL = re.compile(r'<td\b([^>]*)>(.*?)</td>', re.S)


def text_of(cell):
    return html.escape(html.unescape(re.sub(r'<[^>]*>', '', cell)).strip(), quote=True)


def label(table):
    """The table with `data-label` in each cell but the first of a row, and `data-empty` in empty ones, if it has three columns."""
    headings = [text_of(cell) for cell in re.findall(r'<th\b[^>]*>(.*?)</th>', table, re.S)]
    if len(headings) < 3:
        return table

    def row(found):
        column = iter(headings)

        def cell(one):
            heading = next(column, '')
            mark = f' data-label="{heading}"' if heading != headings[0] else ''
            mark = mark if text_of(one[2]) else ' data-empty=""'
            return f'<td{one[1]}{mark}>{one[2]}</td>'
        return CELL.sub(cell, found[0])
    return re.sub(r'<tr\b.*?</tr>', row, table, flags=re.S)


def write(folder):
    for page in sorted(folder.rglob('*.html')):
        text = page.read_text()
        labeled = TABLE.sub(lambda found: label(found[0]), text)
        if labeled != text:
            page.write_text(labeled)
