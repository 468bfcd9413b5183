"""`wisen serve` accepts only this machine and the token, never a web page, and can be stopped and restarted."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client

import wisen
from tests.commands import WISEN, run
from tests.hooks import write_lesson_sessions
from tests.surfaces.mcp_clients import ToolAnswer, over_http, read_answer, serve_project
from wisen import app
from wisen.errors import MissingExtra
from wisen.surfaces.mcp.request_limits import LimitedProtocol
from wisen.surfaces.mcp.tool_arguments import POINT, TOOLS
from wisen.system.clock import SystemClock
from wisen.system.periodic_runs import PeriodicRuns


@pytest.fixture
def shop(home: Path) -> Path:
    write_lesson_sessions(home, home / "shop")
    with wisen.open_learner() as learner:
        learner.learn()
    return home / "shop"


def token() -> str:
    return run("serve", "--token").stdout.strip()


@pytest.mark.requirement("C8")
def test_every_tool_is_there_over_http_and_ten_calls_at_once_are_answered(shop: Path) -> None:
    async def all_of_them(client: Client) -> list[ToolAnswer]:
        offered = [each.name for each in (await client.list_tools()).tools]
        assert offered == [name for name in TOOLS if name != POINT]
        found: list[ToolAnswer] = []

        async def one(number: int) -> None:
            name, given = (
                ("recall", {"question": "pnpm"}) if number % 2 else ("remember", {"text": "Ship on Tuesdays only."})
            )
            found.append(await read_answer(client, name, given))

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(one, number)
        rest = {"context": {"task": "use pnpm"}, "rules": {}, "proposals": {}, "score": {}, "forget": {"what": "pnpm"}}
        return found + [await read_answer(client, name, given) for name, given in rest.items()]

    with serve_project(shop) as address:
        found = over_http(address, token(), all_of_them)
    assert [each.text for each in found if each.failed] == []
    assert len(found) == 15
    assert any("pnpm" in each.text for each in found)


def test_without_the_token_by_another_name_or_from_a_page_nobody_is_let_in(shop: Path) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    shown = {"Authorization": f"Bearer {token()}", "Accept": "application/json, text/event-stream"}
    with serve_project(shop) as address, httpx2.Client(timeout=20) as client:
        port = address.split(":")[2].split("/")[0]

        def status(**headers: str) -> int:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            return client.post(address, json=ping, headers=sent).status_code

        assert status() == 401
        assert status(Authorization="Bearer") == 401
        assert status(Authorization="Bearer " + "0" * 64) == 401
        assert status(Authorization=shown["Authorization"].lower()) == 401
        assert status(**shown, Host="evil.example") == 421
        assert status(**shown, Host=f"evil.example:{port}") == 421
        assert status(**shown, Host=f"127.0.0.1.evil.example:{port}") == 421
        assert status(**shown, Origin="https://evil.example") == 403
        assert status(**shown, Origin="null") == 403
        assert status(**shown, Origin=f"http://127.0.0.1.evil.example:{port}") == 403
        assert status(**shown) not in (401, 403, 421)
        assert client.get(address).status_code == 401
        big = client.post(address, content=b"x" * (2 << 20), headers={**shown, "Content-Type": "application/json"})
        assert big.status_code == 413
        health = client.get(address.replace("/mcp", "/health"))
        assert health.json()["ok"] is True
        assert health.json()["version"] == wisen.__version__
        assert str(shop) not in health.text
        evil = client.get(address.replace("/mcp", "/health"), headers={"Host": "evil.example"})
        assert evil.status_code == 421
        assert client.get(address.replace("/mcp", "/else"), headers=shown).status_code == 404


def test_only_this_machine_can_reach_it(shop: Path) -> None:
    with serve_project(shop) as address:
        port = int(address.split(":")[2].split("/")[0])
        table = Path("/proc/net/tcp")
        if not table.exists():
            pytest.skip("there is no /proc/net/tcp here")
        listens = [line.split()[1] for line in table.read_text().splitlines()[1:] if line.split()[3] == "0A"]
        assert [each.partition(":")[0] for each in listens if int(each.partition(":")[2], 16) == port] == ["0100007F"]


def test_the_token_is_made_once_for_its_owner_alone(shop: Path) -> None:
    first = token()
    assert len(bytes.fromhex(first)) == 32
    assert token() == first
    file = shop.parent / "wisen" / "token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(run("serve", "--token", "--json").stdout) == {"token": first}


def test_a_dry_run_makes_nothing(home: Path) -> None:
    told_ = json.loads(run("serve", "--dry-run", "--json", "--port", "4321").stdout)
    assert (told_["address"], told_["every_minutes"]) == ("http://127.0.0.1:4321/mcp", 60)
    assert not (home / "wisen").exists()


def test_it_ends_when_told_starts_again_and_says_when_the_port_is_taken(shop: Path) -> None:
    for _ in range(2):
        with serve_project(shop) as address:
            port = address.split(":")[2].split("/")[0]
            assert "cannot be bound" in run("serve", "--port", port, expect=1).stderr
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", int(port)))


@pytest.mark.requirement("S17")
def test_the_schedule_runs_the_cycle_as_the_command_does(shop: Path) -> None:
    with serve_project(shop, "--every", "60") as address, httpx2.Client(timeout=20) as client:
        end = time.monotonic() + 60
        while (cycle := client.get(address.replace("/mcp", "/health")).json()["cycle"])["rounds"] < 1:
            assert time.monotonic() < end, "no round was made"
            time.sleep(0.2)
    assert cycle["went_well"] is True
    assert (shop.parent / "wisen" / "snapshots").exists(), "what hooks answer from was prepared"
    with wisen.open_learner() as learner:
        assert len(learner.status().runs) == 2


def test_a_round_that_runs_is_ended_with_the_server_and_a_failed_one_is_reported(tmp_path: Path) -> None:
    began, command = tmp_path / "began", "import pathlib,sys,time; pathlib.Path(sys.argv[1]).touch(); time.sleep(60)"
    rounds = PeriodicRuns((sys.executable, "-c", command, str(began)), os.environ, 60, SystemClock())
    rounds.start()
    end = time.monotonic() + 30
    while not began.exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert rounds.status().is_running
    at = time.monotonic()
    rounds.stop()
    assert timedelta(seconds=time.monotonic() - at) < timedelta(seconds=20)
    assert rounds.status()[:1] == (1,)
    assert rounds.status().went_well is False


def test_a_stop_signal_leaves_no_process_behind(shop: Path) -> None:
    command = [str(WISEN), "serve", "--port", "0", "--every", "0"]
    process = subprocess.Popen(
        command,
        cwd=shop,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what it puts into the background with this signal ignored, and so the suite may have been.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - it takes no lock
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Serving on http://127.0.0.1:")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "Traceback" not in errors


def test_a_schedule_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apscheduler.schedulers.background", None)
    with pytest.raises(MissingExtra, match=r"wisen\[serve\]"):
        app.wire().repeated_cycles(60)


HALVES = {
    "silent": b"",
    "head": b"GET /health HTTP/1.1\r\nHost: 127.0.0.1",
    "body": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
    b"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 500\r\n\r\n{",
}


@pytest.mark.requirement("X7")
def test_three_hundred_half_requests_keep_no_whole_one_waiting(shop: Path) -> None:
    shown = token().encode()
    with serve_project(shop) as address, httpx2.Client(timeout=10) as client:
        port = int(address.split(":")[2].split("/")[0])
        halves = []
        for number in range(300):
            half = socket.create_connection(("127.0.0.1", port), timeout=10)
            text = [*HALVES.values()][number % 3]
            half.sendall(text % (port, shown) if number % 3 == 2 else text)
            halves.append(half)
        for _ in range(3):
            assert client.get(f"http://127.0.0.1:{port}/health").status_code == 200
        assert over_http(address, token(), lambda client: read_answer(client, "rules", {})).failed is False
        gone = 0
        for half in halves[:100]:
            half.settimeout(10)
            try:
                gone += half.recv(10) == b""
            except ConnectionResetError:
                gone += 1
        assert gone == 100, "the oldest made room"
        for half in halves:
            half.close()


@pytest.mark.requirement("X7")
def test_a_request_has_to_be_whole_in_time_however_it_trickles_and_a_long_head_is_refused() -> None:
    class Impatient(LimitedProtocol):
        request_seconds = 0.5

    async def app(scope: dict[str, object], receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(app, http=Impatient, ws="none", lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            for text in (*HALVES.values(), b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT"):
                with closing(socket.create_connection(bound.getsockname(), timeout=10)) as half:
                    half.sendall(text % (1, b"x") if b"%d" in text else text)
                    began, response = time.monotonic(), b""
                    try:
                        while more := half.recv(1000):
                            response += more
                            half.sendall(b"x")  # a byte now and then buys no time
                    except OSError:
                        pass
                    assert time.monotonic() - began < 9
                    assert response.count(b"200 OK") == text.count(b"\r\n\r\nGET")
            with closing(socket.create_connection(bound.getsockname(), timeout=10)) as long:
                try:
                    long.sendall(b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 50_000)
                    assert b"200 OK" not in long.recv(1000)
                except OSError:
                    pass  # it was cut off while it spoke
            assert httpx2.get(f"http://127.0.0.1:{bound.getsockname()[1]}/").status_code == 200
        finally:
            server.should_exit = True
            thread.join(20)
