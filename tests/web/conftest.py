"""Servers that tests share, or have for themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.web.serving import Client, Server


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("serve"))
    yield server
    server.stop()


@pytest.fixture
def client(shared_server):
    found = Client(shared_server.port)
    found.get("/")
    return found


@pytest.fixture
def serve(tmp_path):
    started = []

    def start(*arguments: str, problem: Path = ROOT) -> Server:
        folder = tmp_path / f"server-{len(started)}"
        started.append(Server(folder, *arguments, problem=problem))
        return started[-1]

    yield start
    for server in started:
        server.stop()
