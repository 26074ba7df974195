"""The HTTP API on a real server: what is taken is judged, once, whoever dies."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judge.web.store import Status, Store
from tests.conftest import ROOT
from tests.web.serving import HANGING, RIGHT, SLOW, WRONG, Client, Server, end_process, free_port

pytestmark = pytest.mark.web

LEAKY = RIGHT.replace(
    "    attended = multi", "    print(x.tolist())\n    attended = multi"
).replace("/ np.sqrt(d_k)", "")


def test_a_submission_gets_the_learners_report(client):
    status, told, headers = client.submit(WRONG)
    assert status == 202
    assert headers["location"] == f"/api/submissions/{told['id']}"
    told = client.verdict(told["id"])
    assert (told["verdict"], told["status"]) == ("WA", "done")
    assert told["passed"] < told["total"] == len(told["cases"])
    assert told["diagnosis"][0]["id"]
    assert client.verdict(client.submit(RIGHT)[1]["id"])["verdict"] == "AC"


def test_of_secret_cases_nothing_printed_expected_or_returned_is_told(client):
    told = client.verdict(client.submit(LEAKY)[1]["id"])
    for case in told["cases"]:
        if case["group"] == "sample":
            assert case["output"]
        else:
            assert not case["output"]
            assert case["error"] is None


def test_a_file_is_taken_as_it_is(client):
    status, told, _ = client.ask(
        "POST", "/api/submissions", RIGHT.encode(), **{"Content-Type": "text/x-python"}
    )
    assert status == 202
    assert client.verdict(told["id"])["verdict"] == "AC"


def test_a_form_with_a_file_is_taken(client):
    kind = {"Content-Type": "multipart/form-data; boundary=edge"}
    head = 'Content-Disposition: form-data; name="file"; filename="solution.py"'
    body = f"--edge\r\n{head}\r\n\r\n{RIGHT}\r\n--edge--\r\n".encode()
    status, told, _ = client.ask("POST", "/api/submissions", body, **kind)
    assert status == 202
    told = client.verdict(told["id"])
    assert told["verdict"] == "AC"
    assert told["provenance"]["source"] == f"sha256:{hashlib.sha256(RIGHT.encode()).hexdigest()}"
    field = body.replace(b'; filename="solution.py"', b"")
    assert client.ask("POST", "/api/submissions", field, **kind)[0] == 400
    assert client.ask("POST", "/api/submissions", b"--edge\r\nx", **kind)[0] == 400


def test_a_repeated_post_with_its_key_is_one_submission(client):
    first = client.submit(RIGHT, **{"Idempotency-Key": "again"})[1]["id"]
    assert client.submit(RIGHT, **{"Idempotency-Key": "again"})[1]["id"] == first
    assert client.submit(RIGHT, **{"Idempotency-Key": "other"})[1]["id"] != first


@pytest.mark.parametrize(
    ("body", "kind", "status", "message"),
    [
        (b"{", "application/json", 400, "not a submission"),
        (b'{"source": 1}', "application/json", 400, "not a submission"),
        (b'{"source": "\\ud800"}', "application/json", 400, "not a submission"),
        (b"x", "image/png", 400, "application/json"),
        (json.dumps({"source": "#" * 70_000}).encode(), "application/json", 413, "at most 64 KiB"),
        (b"#" * 600_000, "text/x-python", 413, "at most"),
    ],
)
def test_what_can_not_be_taken_is_refused_in_words(client, body, kind, status, message):
    found, told, _ = client.ask("POST", "/api/submissions", body, **{"Content-Type": kind})
    assert found == status
    assert message in told["error"]


def test_events_tell_case_by_case_and_then_the_verdict(client):
    identity = client.submit(SLOW)[1]["id"]
    _, data, headers = client.get(f"/api/submissions/{identity}/events")
    assert headers["content-type"].startswith("text/event-stream")
    events = [block.splitlines() for block in data.decode().split("\n\n") if "event:" in block]
    cases = [json.loads(e[1].removeprefix("data: ")) for e in events if e[0] == "event: case"]
    assert len({case["name"] for case in cases}) == len(cases) >= 30
    assert events[-1][0] == "event: done"
    assert json.loads(events[-1][1].removeprefix("data: "))["verdict"] == "AC"


def test_one_runs_ten_wait_and_the_next_is_told_when_to_try_again(client):
    answers = [client.submit(SLOW) for _ in range(12)]
    assert [answer[0] for answer in answers[:11]] == [202] * 11
    status, told, headers = answers[11]
    assert status == 429
    assert "are waiting" in told["error"]
    assert int(headers["retry-after"]) > 0
    for _, taken, _ in reversed(answers[:11]):
        client.ask("DELETE", f"/api/submissions/{taken['id']}")


def test_only_its_owner_cancels(client, shared_server):
    identity = client.submit(SLOW)[1]["id"]
    stranger = Client(shared_server.port)
    stranger.get("/")
    assert stranger.ask("DELETE", f"/api/submissions/{identity}")[0] == 409
    assert client.ask("DELETE", f"/api/submissions/{identity}")[0] == 200
    assert client.verdict(identity)["status"] == "cancelled"
    assert client.ask("DELETE", "/api/submissions/no-such-id-here-")[0] == 404


def test_the_problem_is_told_and_nothing_of_secret_cases_but_their_number(client):
    _, told, _ = client.get("/api/problem")
    assert told["function"]["name"] == "encoder_block"
    assert all(name.startswith("sample/") for name in told["samples"])
    assert "secret/" not in json.dumps(told)


def test_health_and_metrics(client):
    client.verdict(client.submit(RIGHT)[1]["id"])
    assert client.get("/api/health")[1]["status"] == "ok"
    text = client.get("/metrics")[1].decode()
    assert 'judge_verdicts{verdict="AC"}' in text
    assert 'judge_requests_total{status="202"}' in text


def test_a_bundle_that_changes_changes_no_verdict_until_it_is_judged_again(serve, tmp_path):
    bundle = tmp_path / "bundle"
    shutil.copytree(ROOT / "tests" / "bundles" / "tiny", bundle)
    server = serve(problem=bundle)
    client = Client(server.port)
    assert client.get("/api/health")[1]["bundle_changed"] is False
    manifest = bundle / "testcases" / "manifest.json"
    manifest.write_text(manifest.read_text() + "\n")
    assert client.get("/api/health")[1]["bundle_changed"] is True
    source = (bundle / "reference" / "power_sum.py").read_text()
    identity = client.submit(source)[1]["id"]
    before = client.verdict(identity)
    assert before["verdict"] == "AC"
    assert server.terminate() == 0
    server.start("--rejudge")
    client = Client(server.port)
    after = client.verdict(identity)
    assert after["verdict"] == "AC"
    assert after["provenance"]["bundle"] == client.get("/api/health")[1]["bundle"]
    assert after["provenance"]["bundle"] != before["provenance"]["bundle"]


def test_what_a_browser_may_do_is_said_with_every_answer(client):
    for path in ("/", "/api/health", "/problem"):
        _, _, headers = client.get(path)
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    fresh = Client(client.port)
    cookie = fresh.get("/")[2]["set-cookie"]
    assert "SameSite=Strict" in cookie
    assert "HttpOnly" in cookie


def test_other_names_and_other_sites_are_refused(client):
    assert client.get("/api/health", Host="evil.example")[0] == 421
    assert client.submit(RIGHT, Origin="http://evil.example")[0] == 403
    own = f"127.0.0.1:{client.port}"
    assert client.submit(RIGHT, Host=own, Origin=f"http://{own}")[0] == 202


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/submissions/..%2f..%2fetc/report",
        "/api/submissions/..%2F..%2Fx", "/problem/../store", "/static/../../x",
    ],
)  # fmt: skip
def test_no_path_reaches_the_file_system(client, path):
    status, data, _ = client.get(path)
    assert status in (404, 422)
    assert b"root:" not in (data if isinstance(data, bytes) else json.dumps(data).encode())


def test_logs_are_json_lines_and_hold_no_source(client, shared_server):
    client.verdict(client.submit("marker_of_this_test = 1\n" + RIGHT)[1]["id"])
    text = shared_server.log.read_text()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert any(line["event"] == "judged" for line in lines)
    assert "marker_of_this_test" not in text


def test_token_and_name_are_demanded_where_they_are_set(serve):
    server = serve("--token", "open-sesame", "--name", "judge.example.org")
    client = Client(server.port)
    assert client.get("/api/health", Host="judge.example.org")[0] == 200
    assert client.get("/api/health", Host="judge.example.com")[0] == 421
    assert client.get("/api/health")[0] == 200
    assert client.get("/")[0] == 401
    assert client.submit(RIGHT)[0] == 401
    assert client.submit(RIGHT, Authorization="Bearer wrong")[0] == 401
    assert client.submit(RIGHT, Authorization="Bearer open-sesame")[0] == 202
    status, _, headers = client.get("/?token=open-sesame")
    assert status == 303
    assert "judge_token=open-sesame" in headers["set-cookie"]


def test_another_address_demands_a_token():
    command = [sys.executable, "-m", "judge", "serve", "--host", "0.0.0.0"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "give a --token, or listen on 127.0.0.1 and put a proxy" in done.stderr


def test_a_port_or_a_store_that_is_taken_is_told_at_once(shared_server, tmp_path):
    command = [sys.executable, "-m", "judge", "serve", "--port"]
    taken = [*command, str(shared_server.port), "--store", str(tmp_path / "own.sqlite")]
    done = subprocess.run(taken, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "choose another --port" in done.stderr
    taken = [*command, str(free_port()), "--store", str(shared_server.store)]
    done = subprocess.run(taken, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "another server uses this store" in done.stderr


def submit_many(server: Server, count: int, source: str = "") -> list[str]:
    """Submit as many learners, each with a source of its own."""
    clients = [Client(server.port) for _ in range(count)]
    taken = []
    for number, client in enumerate(clients):
        client.get("/")
        status, told, _ = client.submit(f"# {number}\n{source or (SLOW if number % 2 else RIGHT)}")
        assert status == 202
        taken.append(told["id"])
    return taken


def assert_gone(processes: list[int]) -> None:
    """Wait until these processes have ended."""
    deadline = time.monotonic() + 60
    for pid in processes:
        while True:
            try:
                if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    break
            except OSError:
                break
            assert time.monotonic() < deadline, f"process {pid} lives on"


def test_a_killed_server_loses_nothing_and_judges_each_once(serve):
    server = serve()
    taken = submit_many(server, 6)
    processes = server.pool_processes()
    server.kill()
    assert_gone(processes)
    server.start()
    verdicts = [Client(server.port).verdict(identity)["verdict"] for identity in taken]
    assert verdicts == ["AC"] * 6
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if line[:1] == "{"]
    judged = [line["submission"] for line in lines if line["event"] == "judged"]
    assert sorted(judged) == sorted(taken)


def test_killed_pool_processes_lose_nothing(serve):
    server = serve("--jobs", "2")
    taken = submit_many(server, 6)
    deadline = time.monotonic() + 60
    while not server.pool_processes():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    for pid in server.pool_processes():
        end_process(pid)
    verdicts = [Client(server.port).verdict(identity)["verdict"] for identity in taken]
    assert verdicts == ["AC"] * 6


def test_sigterm_drains_and_the_rest_is_owed(serve):
    server = serve("--jobs", "1")
    taken = submit_many(server, 4)
    assert server.terminate() == 0
    with Store(server.store) as store:
        statuses = {store.get(identity).status for identity in taken}
        assert Status.RUNNING not in statuses
    server.start()
    assert {Client(server.port).verdict(i)["verdict"] for i in taken} == {"AC"}


def test_a_second_interrupt_ends_at_once_and_what_ran_is_owed(serve):
    server = serve("--jobs", "1")
    identity = submit_many(server, 1, HANGING)[0]
    client = Client(server.port)
    while client.get(f"/api/submissions/{identity}")[1]["status"] != "running":
        pass
    processes = server.pool_processes()
    server.process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):
        while client.get("/api/health")[1]["status"] == "ok":
            pass
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=60) == 130
    assert_gone(processes)
    with Store(server.store) as store:
        assert store.get(identity).status is Status.RUNNING


def test_a_running_store_can_be_copied(serve, tmp_path):
    server = serve()
    identity = submit_many(server, 1)[0]
    Client(server.port).verdict(identity)
    target = tmp_path / "copy.sqlite"
    command = [sys.executable, "-m", "judge", "serve", "--store", str(server.store)]
    subprocess.run([*command, "--copy-store", str(target)], cwd=ROOT, check=True)
    with Store(target) as copy:
        assert copy.get(identity).verdict == "AC"
