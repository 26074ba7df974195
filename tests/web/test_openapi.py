"""Schemathesis on the OpenAPI description of a real server: no request makes it fail."""

from __future__ import annotations

import http.client
import json

import pytest
from hypothesis import HealthCheck, given, settings

pytestmark = pytest.mark.web


def checks() -> list:
    """Return what every answer must hold; imported here, so that `make test` needs no more."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    return [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]


OPERATIONS = {
    ("POST", "/api/submissions"),
    ("GET", "/api/submissions/{identity}"),
    ("DELETE", "/api/submissions/{identity}"),
    ("GET", "/api/submissions/{identity}/events"),
    ("GET", "/api/problem"),
    ("GET", "/api/health"),
    ("GET", "/metrics"),
}


@pytest.fixture(scope="module")
def described(shared_server):
    import schemathesis

    return schemathesis.openapi.from_url(f"{shared_server.url}/openapi.json")


def test_all_of_the_api_is_described_and_nothing_else(client):
    _, told, _ = client.get("/openapi.json")
    assert {
        (method.upper(), path) for path, methods in told["paths"].items() for method in methods
    } == OPERATIONS
    assert client.get("/docs")[0] == 404


@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
def test_no_request_that_fits_the_description_makes_it_fail(described, method, path):
    @settings(
        max_examples=20,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=described[path][method].as_strategy())
    def ask(case):
        case.call_and_validate(checks=checks())

    ask()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "[::1"},
        {"Host": "a" * 5000},
        {"Origin": "http://[::1"},
        {"Content-Length": "9" * 5000},
        {"Content-Length": "\u00b2"},
        {"Cookie": 'judge_client="\\'},
        {"Cookie": "judge_client=" + "x" * 4000},
        {"Content-Type": "multipart/form-data"},
        {"Content-Type": "multipart/form-data; boundary="},
        {"Content-Type": "application/json; charset=nonsense"},
        {"Idempotency-Key": "\u00ff" * 300},
    ],
)
def test_no_odd_header_makes_it_fail(shared_server, headers):
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=60)
    connection.putrequest("POST", "/api/submissions", skip_host="Host" in headers)
    body = json.dumps({"source": "x"}).encode()
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        connection.putheader(name, value.encode("latin-1"))
    connection.endheaders(body)
    try:
        assert connection.getresponse().status < 500
    except (http.client.BadStatusLine, ConnectionError):
        # The web server may also hang up on what is no HTTP; it lives on all the same.
        pass
    finally:
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=60)
    connection.request("GET", "/api/health")
    assert connection.getresponse().status == 200
    connection.close()
