"""Fails if a link of a written page leads nowhere in the repository, or if LICENSE is not the licence.

usage: references.py SOURCE
"""
import collections
import functools
import pathlib
import re
import sys

CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
APACHE = pathlib.Path("/usr/share/common-licenses/Apache-2.0")  # the copy of Debian and its kin


@functools.cache  # a page is linked from many
def anchors(page):
    """What headings may be linked by: `#how-it-grows`."""
    found, times = set(), collections.Counter()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{name}-{times[name]}" if times[name] else name)
        times[name] += 1
    return found


def broken(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text())):
        if re.match(r"\w+:", link):
            continue  # elsewhere
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"{page}: links {link}, which does not exist"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page}: links {link}, but {target.name} has no such heading"


def main():
    root = pathlib.Path(sys.argv[1])
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]
    errors = [error for page in pages for error in broken(page)]
    licence = root / "LICENSE"
    if licence.exists() and APACHE.exists() and APACHE.read_text() not in licence.read_text():
        errors.append("LICENSE: expected the text of Apache-2.0, word for word")
    print("\n".join(errors) or f"the links of {len(pages)} pages lead somewhere")
    return 1 if errors or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
