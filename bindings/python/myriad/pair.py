"""Pair formulas as Python functions: their syntax trees become pipelines (docs/pipelines.md)."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, overload

from .catalogue import Kernel

_VECTORS = {"x": 3, "v": 3, "a": 3, "f": 3, "position": 3, "velocity": 3, "acceleration": 3, "force": 3}
_FUNCTIONS = {"sqrt": "sqrt", "rsqrt": "rsqrt", "exp": "exp", "erf": "erf", "sin": "sin", "cos": "cos", "abs": "fabs",
              "fabs": "fabs", "min": "fmin", "max": "fmax", "fmin": "fmin", "fmax": "fmax", "pow": "pow", "rint": "rint"}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
# Words of a pipeline, which cannot be names of its variables.
_WORDS = {"i", "j", "out", "INPUT_I", "INPUT_J", "OUTPUT", "float", "double", "real", "int", "if", "else", "for", "while", "const"}
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class _Value:
    """A translated expression: a text with {k} in place of the component, and the number of components (0 = a number)."""

    def __init__(self, text, size=0):
        self.text, self.size = text, size

    def at(self, k):
        return self.text.replace("{k}", str(k))


class _Translator:
    """One function, statement by statement."""

    def __init__(self, function, sizes):
        try:
            lines, self.first = inspect.getsourcelines(function)
        except OSError as error:
            raise SyntaxError("a pair function needs a source file or a notebook, to be read from") from error
        self.lines = textwrap.dedent("".join(lines)).splitlines()
        self.file = inspect.getsourcefile(function)
        tree = ast.parse("\n".join(self.lines))
        self.tree = next((node for node in tree.body if isinstance(node, ast.FunctionDef)), None)
        if self.tree is None:
            raise SyntaxError("a pair function is made by def, with a name", (self.file, self.first, 1, self.lines[0]))
        self.sizes = {**_VECTORS, **sizes}
        self.fields = {"i": {}, "j": {}}
        self.variables, self.outputs, self.body = {}, {}, []
        self.taken = _WORDS | {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        self.taken |= {node.arg for node in ast.walk(self.tree) if isinstance(node, ast.arg)}
        self.temporaries = 0
        self.renamed = {}  # variables of the function whose names are words of a pipeline
        self.k = self.fresh("k")  # index of a loop over components

    def fresh(self, name):
        """A name that the function does not use."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def called(self, name):
        """Name in the pipeline of a variable of the function."""
        if name in _WORDS and name not in self.renamed:
            self.renamed[name] = self.fresh(name + "_")
        return self.renamed.get(name, name)

    def loop(self, size, indent, text):
        """A statement for each component."""
        self.body.append(f"{indent}for (int {self.k} = 0; {self.k} < {size}; {self.k}++)")
        self.body.append(f"{indent}    {text}")

    def fail(self, node, text):
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        raise SyntaxError(text, (self.file, self.first + node.lineno - 1, node.col_offset + 1, line))

    # --- the function ---

    def parameters(self):
        """Names and defaults of all arguments after the target and the source; None = it has none."""
        arguments = self.tree.args
        names = arguments.args + arguments.kwonlyargs
        if len(names) < 2 or arguments.vararg or arguments.kwarg:
            self.fail(self.tree, "a pair function has a target, a source, and parameters: def name(i, j, eps=0.1)")
        self.names = {names[0].arg: "i", names[1].arg: "j"}
        defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults + arguments.kw_defaults
        found = {}
        for argument, default in list(zip(names, defaults))[2:]:
            if argument.arg in _WORDS:
                self.fail(argument, f"'{argument.arg}' cannot be the name of a parameter: it is a word of pipelines")
            found[argument.arg] = None if default is None else self.number(argument, default)
            self.variables[argument.arg] = 0
        return found

    def number(self, argument, default):
        try:
            return float(ast.literal_eval(default))
        except (TypeError, ValueError):
            pass
        self.fail(argument, f"the default of the parameter '{argument.arg}' is no number")

    def translate(self):
        parameters = self.parameters()
        body = self.tree.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]  # its documentation
        if not body or not isinstance(body[-1], ast.Return):
            self.fail(self.tree, 'a pair function ends with: return {"output": expression}')
        for node in body:
            self.statement(node, "")
        return parameters

    def statement(self, node, indent):
        kind = type(node).__name__
        method = getattr(self, "do_" + kind, None)
        if method is None:
            self.fail(node, f"a pair function cannot have this statement ({kind.lower()})")
        method(node, indent)

    def assign(self, name, value, node, indent, sign="="):
        known = self.variables.get(name)
        if known is not None and known != value.size:
            self.fail(node, f"'{name}' has {known or 'no'} components, and the value has {value.size or 'none'}")
        declared = "" if known is not None else "float "
        self.variables[name] = value.size
        name = self.called(name)
        if not value.size:
            self.body.append(f"{indent}{declared}{name} {sign} {value.text};")
            return
        if declared:
            self.body.append(f"{indent}float {name}[{value.size}];")
        self.loop(value.size, indent, f"{name}[{self.k}] {sign} {value.at(self.k)};")

    def do_Assign(self, node, indent):
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            self.fail(node, "a value is given to one variable at a time")
        target = node.targets[0].id
        if target in self.names:
            self.fail(node, f"'{target}' is the {'target' if self.names[target] == 'i' else 'source'}")
        if isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.MatMult) and target not in self.variables:
            self.dot(target, node.value, indent)
        else:
            self.assign(target, self.value(node.value, indent), node, indent)

    def do_AugAssign(self, node, indent):
        if not isinstance(node.target, ast.Name) or node.target.id not in self.variables:
            self.fail(node, "only a variable that has a value can be changed")
        if type(node.op) not in _OPERATORS:
            self.fail(node, "variables are changed by +=, -=, *= and /=")
        value = self.value(node.value, indent)
        if self.variables[node.target.id] and not value.size:
            value = _Value(value.text, self.variables[node.target.id])
        self.assign(node.target.id, value, node, indent, _OPERATORS[type(node.op)] + "=")

    def do_If(self, node, indent):
        known = dict(self.variables)
        self.body.append(f"{indent}if ({self.value(node.test, indent).text}) {{")
        for part, opening in ((node.body, None), (node.orelse, f"{indent}}} else {{")):
            if part and opening:
                self.body.append(opening)
            for statement in part:
                self.statement(statement, indent + "    ")
            if set(self.variables) - set(known):
                self.fail(node, "give a variable a value before the if that changes it")
        self.body.append(f"{indent}}}")

    def do_Return(self, node, indent):
        if indent or not isinstance(node.value, ast.Dict):
            self.fail(node, 'a pair function ends with: return {"output": expression}')
        for key, item in zip(node.value.keys, node.value.values):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                self.fail(node, "outputs have names, in quotes")
            value = self.value(item, indent)
            self.outputs[key.value] = value.size
            if value.size:
                self.loop(value.size, "", f"out.{key.value}[{self.k}] += {value.at(self.k)};")
            else:
                self.body.append(f"out.{key.value} += {value.text};")

    # --- expressions ---

    def dot(self, name, node, indent):
        """A scalar product as a sum of its own."""
        left, right = self.value(node.left, indent), self.value(node.right, indent)
        if not left.size or left.size != right.size:
            self.fail(node, "@ is the scalar product of two vectors")
        self.variables[name] = 0
        name = self.called(name)
        self.body.append(f"{indent}float {name} = 0;")
        self.loop(left.size, indent, f"{name} += {left.at(self.k)} * {right.at(self.k)};")

    def value(self, node, indent):
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            self.fail(node, f"a pair function cannot have this expression ({type(node).__name__.lower()})")
        return method(node, indent)

    def of_Constant(self, node, indent):
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            self.fail(node, "only numbers can be computed with")
        return _Value(repr(node.value))

    def of_Name(self, node, indent):
        if node.id not in self.variables:
            self.fail(node, f"'{node.id}' has no value here; parameters are arguments of the function")
        size, name = self.variables[node.id], self.called(node.id)
        return _Value(f"{name}[{{k}}]" if size else name, size)

    def of_Attribute(self, node, indent):
        if not isinstance(node.value, ast.Name) or node.value.id not in self.names:
            self.fail(node, "only the target and the source have fields")
        side = self.names[node.value.id]
        size = self.sizes.get(node.attr, 0)
        self.fields[side][node.attr] = size
        return _Value(f"{side}.{node.attr}[{{k}}]" if size else f"{side}.{node.attr}", size)

    def of_Subscript(self, node, indent):
        value = self.value(node.value, indent)
        index = node.slice
        if not value.size or not isinstance(index, ast.Constant) or index.value not in range(value.size):
            self.fail(node, "a component of a vector is v[0], v[1], ...")
        return _Value(value.at(index.value))

    def of_UnaryOp(self, node, indent):
        value = self.value(node.operand, indent)
        sign = {ast.USub: "-", ast.UAdd: "+", ast.Not: "!"}.get(type(node.op))
        if sign is None:
            self.fail(node, "a pair function cannot have this operator")
        return _Value(f"({sign}{value.text})", value.size)

    def of_BinOp(self, node, indent):
        if isinstance(node.op, ast.MatMult):
            self.temporaries += 1
            name = self.fresh(f"dot_{self.temporaries}")
            self.dot(name, node, indent)
            return _Value(name)
        left, right = self.value(node.left, indent), self.value(node.right, indent)
        if isinstance(node.op, ast.Pow):
            if left.size or right.size:
                self.fail(node, "powers are those of numbers; v @ v is the square of a vector")
            return _Value(f"pow({left.text}, {right.text})")
        if type(node.op) not in _OPERATORS:
            self.fail(node, "a pair function cannot have this operator")
        if left.size and right.size and (left.size != right.size or isinstance(node.op, (ast.Mult, ast.Div))):
            self.fail(node, "vectors of one length are added and subtracted; @ is their scalar product")
        if bool(left.size) != bool(right.size) and isinstance(node.op, (ast.Add, ast.Sub)):
            self.fail(node, "a number cannot be added to a vector")
        if right.size and isinstance(node.op, ast.Div):
            self.fail(node, "nothing can be divided by a vector")
        return _Value(f"({left.text} {_OPERATORS[type(node.op)]} {right.text})", left.size or right.size)

    def of_Compare(self, node, indent):
        values = [self.value(part, indent) for part in (node.left, *node.comparators)]
        if any(value.size for value in values) or any(type(op) not in _COMPARISONS for op in node.ops):
            self.fail(node, "numbers are compared by <, <=, >, >=, == and !=")
        parts = [f"({values[k].text} {_COMPARISONS[type(op)]} {values[k + 1].text})" for k, op in enumerate(node.ops)]
        return _Value("(" + " && ".join(parts) + ")" if len(parts) > 1 else parts[0])

    def of_BoolOp(self, node, indent):
        sign = " && " if isinstance(node.op, ast.And) else " || "
        return _Value("(" + sign.join(self.value(part, indent).text for part in node.values) + ")")

    def of_IfExp(self, node, indent):
        test, yes, no = (self.value(part, indent) for part in (node.test, node.body, node.orelse))
        if yes.size != no.size:
            self.fail(node, "both values of an if must be numbers, or vectors")
        return _Value(f"({test.text} ? {yes.text} : {no.text})", yes.size)

    def of_Call(self, node, indent):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in _FUNCTIONS or node.keywords:
            self.fail(node, f"there is no function '{name}'; there are {', '.join(sorted(_FUNCTIONS))}")
        values = [self.value(argument, indent) for argument in node.args]
        if any(value.size for value in values):
            self.fail(node, f"{name}() takes numbers; v[0], ... are the components of a vector")
        return _Value(f"{_FUNCTIONS[name]}({', '.join(value.text for value in values)})")


def _declared(fields):
    """Fields as a pipeline declares them, the position first."""
    names = sorted(fields, key=lambda name: (name not in ("x", "position"), name))
    return " ".join(f"{name}[{fields[name]}]" if fields[name] else name for name in names)


class Pair(Kernel):
    """A kernel that was made of a Python function; `text` is its pipeline.

    >>> import myriad as my
    >>> @my.pair
    ... def charge_nearby(i, j, width=1.0):
    ...     d = i.x - j.x
    ...     return {"near": j.q * exp(-width * (d @ d))}
    >>> print(charge_nearby.text.splitlines()[2])
    out: near
    """

    def __init__(self, function: Callable[..., Any], *, potential: str | None = None, antisymmetric: str | None = None,
                 bounds: dict[str, tuple[float, float]] | None = None, cutoff: str | None = None, **sizes: int) -> None:
        translator = _Translator(function, sizes)
        parameters = translator.translate()
        outputs = {name: size for name, size in translator.outputs.items() if name != potential}
        lines = [f"i: {_declared(translator.fields['i'])}", f"j: {_declared(translator.fields['j'])}",
                 f"out: {_declared(outputs)}"]
        if potential:
            lines.append(f"potential: {potential}")
        for name, default in parameters.items():
            lower, upper = (bounds or {}).get(name, (None, None))
            if default is None:  # Interaction() asks for it; the text needs a number
                default = 1.0 if lower is None else float(lower)
            lines.append(f"param: {name} = {default!r}" + ("" if lower is None else f" [{lower!r}, {upper!r}]"))
        lines += [f"cutoff: {cutoff}"] if cutoff else []
        lines += [f"antisymmetric: {antisymmetric}"] if antisymmetric else []
        super().__init__("\n".join([*lines, "", *translator.body, ""]), function.__name__)
        self.required = tuple(name for name, default in parameters.items() if default is None)
        self.__doc__ = function.__doc__


@overload
def pair(function: Callable[..., Any], **options: Any) -> Pair: ...


@overload
def pair(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], Pair]: ...


def pair(function: Callable[..., Any] | None = None, **options: Any) -> Pair | Callable[[Callable[..., Any]], Pair]:
    """Makes a kernel of a Python function of a target, a source and parameters. Its syntax tree becomes a pipeline, with
    the speed of one; what cannot be translated is a SyntaxError at its line. Interaction() must be given parameters
    without a default.

    Fields are attributes: x, v, a, f are vectors of 3, others are numbers, unless an option gives their size. Vectors
    are added, multiplied by numbers, and `@` is their scalar product. The dict that is returned has the outputs.
    Options: potential="phi", antisymmetric="f", cutoff="rc", bounds={"kappa": (0, 10)}.

        @my.pair(antisymmetric="f", bounds={"kappa": (0, 100)})
        def yukawa(i, j, kappa):
            d = i.x - j.x
            r2 = d @ d
            rinv = 1 / sqrt(r2)
            kr = kappa * (r2 * rinv)
            s = i.q * j.q * rinv * exp(-kr) * (1 + kr) * (rinv * rinv)
            return {"f": s * d}

        my.Interaction(yukawa, kappa=0.5).evaluate(ions)

    >>> import myriad as my
    >>> @my.pair
    ... def weight_nearby(i, j, width=1.0):
    ...     d = i.x - j.x
    ...     return {"near": j.m * exp(-width * (d @ d))}
    >>> stars = my.model("plummer", n=10, seed=1)
    >>> my.Interaction(weight_nearby, width=2.0).evaluate(stars).pairs
    100
    """
    if function is None:
        return lambda function: Pair(function, **options)
    return Pair(function, **options)
