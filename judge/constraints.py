"""Constraints of `problem.yaml` as small expressions over dimension names and scalar parameters."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def names(expression: str) -> set[str]:
    """Return the names that an expression uses; raises ValueError when it is no such expression."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{expression!r} is no expression: {error.msg}") from None
    _evaluate(tree.body, None)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def holds(expression: str, values: Mapping[str, int]) -> bool:
    """Tell whether an expression is true.

    Args:
        expression: comparisons of whole-number arithmetic (+ - * // %), joined by `and`, `or`.
        values: sizes of dimensions and values of scalar parameters, by name.

    Raises:
        ValueError: the expression uses anything else, or a name that has no value.
    """
    try:
        return bool(_evaluate(_parsed(expression), values))
    except ZeroDivisionError:
        return False


@functools.cache
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _evaluate(node: ast.expr, values: Mapping[str, int] | None) -> Any:
    """Evaluate a node, or with `values` None only check that it is of the small language."""
    match node:
        case ast.Constant(value=int() as constant):
            return constant
        case ast.Name(id=name):
            if values is None:
                return 1
            if name not in values:
                raise ValueError(f"{name!r} is neither a dimension nor a scalar parameter")
            return values[name]
        case ast.BoolOp(op=joiner, values=parts):
            if values is None:
                return [_evaluate(part, None) for part in parts]
            results = (_evaluate(part, values) for part in parts)
            return all(results) if isinstance(joiner, ast.And) else any(results)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            first, second = _evaluate(left, values), _evaluate(right, values)
            return 1 if values is None else _BINARY[type(op)](first, second)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            operands = [_evaluate(item, values) for item in (left, *rights)]
            if any(type(op) not in _COMPARE for op in ops):
                raise ValueError(f"{ast.unparse(node)!r}: only == != < <= > >= compare here")
            pairs = zip(ops, operands, operands[1:], strict=False)
            return all(_COMPARE[type(op)](first, second) for op, first, second in pairs)
    raise ValueError(f"{ast.unparse(node)!r} is not allowed in a constraint")
