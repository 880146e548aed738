"""Reference pages from what is declared: C headers, the Python package, the Fortran module."""
import ast
import re
from pathlib import Path


def plain(text):
    """Escapes what Markdown would take for markup, outside of code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") and len(p) > 1 else re.sub(r"([\\*_<>\[\]|$#`~])", r"\\\1", p) for p in parts)


CODE = re.compile(r"(from|import) \w|[a-z_.]+ = |@my\.")  # the first line of a docstring's example


def prose(lines):
    """Markdown of a comment's lines: indented lines, and paragraphs that begin with code, keep their form."""
    out, literal = [], False
    for k, line in enumerate(lines):
        begins = k == 0 or not lines[k - 1].strip()
        code = begins and CODE.match(line) or literal and not begins and not line.startswith(" ") and line.strip()
        indented = line.startswith("  ") or bool(code)
        if indented != literal:
            out += ["", "```text"] if indented else ["```", ""]
            literal = indented
        out.append(line.rstrip() if indented else plain(line.strip()))
    if literal:
        out.append("```")
    return "\n".join(out).strip() + "\n"


# --- C ---


def comment_lines(comment):
    """The text of a C comment without its stars."""
    body = comment.strip()[2:-2]
    return [re.sub(r"^ ?\* ?", "", line) if k else line.lstrip() for k, line in enumerate(body.split("\n"))]


def declared_names(code):
    """What a block of declarations declares: functions, else types, else constants."""
    functions = re.findall(r"\b(myr_\w+)\(", re.sub(r"/\*.*?\*/", "", code, flags=re.S)) if "MYR_API" in code else []
    types = re.findall(r"^}\s*(myr_\w+);", code, flags=re.M) + re.findall(r"^typedef [^{;]*?\b(myr_\w+);", code, flags=re.M)
    types += re.findall(r"typedef [^;{]*\(\*(myr_\w+)\)", code)
    constants = re.findall(r"\b(MYR_[A-Z0-9_]+)\b", code) if not functions and not types else []
    names = [n for n in functions + types + constants if n not in ("MYR_API",)]
    return list(dict.fromkeys(names))


def header_blocks(text):
    """Pairs of comment and code: declarations that stand together without an empty line."""
    inside = text.split("MYR_BEGIN_DECLS", 1)[1].rsplit("MYR_END_DECLS", 1)[0]
    for block in re.split(r"\n\s*\n(?=\S)", inside):
        block = block.strip()
        if not block:
            continue
        found = re.match(r"/\*.*?\*/", block, flags=re.S)
        code = block[found.end():].strip("\n") if found else block
        yield (found.group(0) if found else None), code


def c_page(path):
    text = path.read_text()
    top = re.match(r"/\*.*?\*/", text, flags=re.S)
    out = [f"# `<myriad/{path.name}>`", ""]
    if top:
        lines = comment_lines(top.group(0))
        lines[0] = re.sub(rf"^{re.escape(path.name)} - ", "", lines[0])
        lines[0] = lines[0][:1].upper() + lines[0][1:]
        out.append(prose(lines))
    if "MYR_BEGIN_DECLS" not in text:
        return "\n".join(out)
    for comment, code in header_blocks(text):
        names = declared_names(code)
        if names:
            out.append("## " + ", ".join(f"`{n}`" for n in names[:3]) + (" ..." if len(names) > 3 else "") + "\n")
        if comment:
            out.append(prose(comment_lines(comment)))
        if code:
            out.append(f"```c\n{code}\n```\n")
    return "\n".join(out)


def write_c(headers, folder):
    folder.mkdir(parents=True, exist_ok=True)
    pages = [h for h in sorted(headers.glob("*.h")) if h.name not in ("myriad.h", "export.h")]
    for header in pages:
        (folder / (header.stem + ".md")).write_text(c_page(header))
    (folder / "index.md").write_text(
        "# C\n\nMade from the headers in `include/myriad`. `#include <myriad/myriad.h>` includes them all but `run.h`; "
        "`pkg-config --cflags --libs myriad` tells a compiler where they are.\n\n"
        "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(h.stem for h in pages) + "\n```\n")


# --- Python ---


def signature(node):
    text = f"{node.name}({ast.unparse(node.args)})"
    return text + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def documented(node):
    return ast.get_docstring(node) and not node.name.startswith("_")


def python_function(node, level, prefix=""):
    kind = [ast.unparse(d) for d in node.decorator_list]
    shown = f"{prefix}{node.name}" if "property" in kind else prefix + signature(node)
    return f"{'#' * level} `{prefix}{node.name}`\n\n```python\n{shown}\n```\n\n{prose(ast.get_docstring(node).splitlines())}\n"


def python_module(path):
    """The public classes and functions of a module that have docstrings; an empty text where there are none."""
    tree = ast.parse(path.read_text())
    out = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and documented(node):
            out.append(python_function(node, 3))
        if isinstance(node, ast.ClassDef) and documented(node):
            out.append(f"### `{node.name}`\n\n{prose(ast.get_docstring(node).splitlines())}\n")
            out += [python_function(m, 4, node.name + ".") for m in node.body
                    if isinstance(m, ast.FunctionDef) and documented(m)]
    if not out:
        return ""
    title = f"## `myriad.{path.stem}`\n\n"
    text = ast.get_docstring(tree)
    return title + (prose(text.splitlines()) + "\n" if text else "") + "\n".join(out)


def write_python(package, page):
    modules = [m for m in sorted(package.glob("*.py")) if not m.stem.startswith("_")]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# Python\n\nMade from the package's docstrings. [python.md](../python.md) tells how to use it; names of "
                    "`myriad.particles`, `myriad.simulation` and the like are also names of `myriad` itself.\n\n"
                    + "\n".join(filter(None, map(python_module, modules))))


# --- Fortran ---


def write_fortran(module, page):
    text = module.read_text()
    top = [line[2:] for line in text.split("\n")[: text.split("\n").index("module myriad")] if line.startswith("!")]
    names = sorted(set(re.findall(r"^\s*(?:subroutine|(?:[^!\n]*\s)?function) (myr_\w+)", text, flags=re.M)))
    out = ["# Fortran", "", prose(top), f"`make fortran` makes `build/fortran/myriad.f90` with {len(names)} procedures:", "",
           ", ".join(f"`{n}`" for n in names), "", "## The module", "", "```text", text.rstrip(), "```", ""]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(out))
