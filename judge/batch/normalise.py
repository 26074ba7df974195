"""Runs in a jailed worker: the digest of a source's syntax tree without what does not matter.

Layout, comments, docstrings, annotations and the names that a file gives itself do not matter; what
it imports, and the attributes that it uses, do.
"""

import ast
import builtins
import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def digest(source: str) -> NDArray[np.int64]:
    """Return SHA-256 of the normalised syntax tree as four int64; zeros for what does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return np.zeros(4, dtype=np.int64)
    text = ast.dump(_Normaliser().visit(tree))
    return np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<i8").astype(np.int64)


class _Normaliser(ast.NodeTransformer):
    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        if hasattr(node, "type_comment"):
            node.type_comment = None
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._body(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._name(node.name)
        return self._body(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg, node.annotation = self._name(node.arg), None
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        # A keyword of the file's own function is one of its names; NumPy's axis and keepdims stay.
        node.arg = self.names.get(node.arg, node.arg) if node.arg else None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        made: ast.AST = self.visit(ast.Assign([node.target], node.value))
        return made

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._name(node.id)
        return node

    def visit_alias(self, node: ast.alias) -> ast.AST:
        if node.asname:
            node.asname = self._name(node.asname)
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.name = self._name(node.name)
        node.returns = None
        return self._body(node)

    def _body(
        self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> ast.AST:
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def _name(self, name: str) -> str:
        if name in _BUILTINS:
            return name
        return self.names.setdefault(name, f"name{len(self.names)}")


_BUILTINS = frozenset(vars(builtins))
