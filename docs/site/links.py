"""Checks the links of the finished site: every file that a page names is there, and every place in it."""
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places.update(attributes[a] for a in ("id", "name") if attributes.get(a))
        self.links += [attributes[a] for a in ("href", "src", "data") if attributes.get(a)]


def check(html):
    """One line for each broken link. Links to other sites are not followed: the build needs no network."""
    html = Path(html)
    pages = {p: Page(p.read_text(errors="replace")) for p in html.rglob("*.html") if "gallery" not in p.parts[:-1] or p.name == "index.html"}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                broken.append(f"{path.relative_to(html)}: {link}: there is no such file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                broken.append(f"{path.relative_to(html)}: {link}: there is no such place in the page")
    return broken
