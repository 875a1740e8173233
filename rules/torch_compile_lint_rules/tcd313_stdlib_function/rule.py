"""Functions of the standard library without a Python body that Dynamo could follow."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

FORMS = {
    **{
        f"heapq.{n}": "heapq"
        for n in ("heappush", "heappop", "heapify", "heappushpop", "nlargest", "nsmallest")
    },
    **{
        f"statistics.{n}": "statistics"
        for n in ("mean", "median", "mode", "stdev", "pstdev", "variance", "fmean")
    },
    **{f"bisect.{n}": "other" for n in ("bisect", "bisect_left", "bisect_right", "insort", "insort_left")},
    "ast.literal_eval": "other",
    "functools.cmp_to_key": "other",
    "contextvars.ContextVar": "other",
    "decimal.Decimal": "decimal",
    "collections.Counter": "counter",
    **{
        f"re.{n}": "re"
        for n in ("match", "search", "sub", "findall", "split", "fullmatch", "compile", "finditer")
    },
    **{f"itertools.{n}": "groupby" for n in ("groupby", "permutations", "count")},
    **{f"itertools.{n}": "itertools" for n in ("accumulate", "zip_longest", "cycle")},
    "@functools.singledispatch": "dispatch",
    "builtins.hash": "hash",
    "builtins.frozenset": "set",
}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        form = FORMS.get(symbol)
        if symbol == "collections.deque" and view.argument(call, 1, "maxlen") is not None:
            form = "deque"
        if form is not None:
            yield Hit(call, form, {"func": view.text(call.func), "call": view.text(call)})
            return


RULE = Rule(on=(ir.Call,), check=check, callees=(*FORMS, "collections.deque"))
