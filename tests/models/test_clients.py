"""Clients, loops and threads: what judgekit makes is reused and closed, what it is given is used as it is."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import multiprocessing
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import judgekit
from judgekit.errors import ConfigError, DeadlineError
from judgekit.models.clients import PORTAL, Portal
from judgekit.models.official import openai_connection
from judgekit.models.threads import StillRunning, start, waited
from tests.support.answers import Gate, Reply, never
from tests.support.provider import PATIENCE, Provider

if TYPE_CHECKING:
    from openai import OpenAI

PROMPT = "Grade: {outputs}"


def made(provider: Provider, **settings: Any) -> judgekit.Model:
    return judgekit.connect("openai:judge", base_url=f"{provider.url}/v1", api_key="loopback", **settings)


def made_anthropic(provider: Provider, **settings: Any) -> judgekit.Model:
    return judgekit.connect("anthropic:judge", base_url=provider.url, api_key="loopback", **settings)


@pytest.mark.parametrize("connect", [made, made_anthropic])
def test_sync_judges_of_one_address_share_one_connection(
    connect: Callable[[Provider], judgekit.Model], provider: Provider
) -> None:
    for _ in range(5):
        judgekit.create_llm_as_judge(prompt=PROMPT, judge=connect(provider))(outputs="x")
    assert (provider.count, provider.connections) == (5, 1)


@pytest.mark.parametrize("connect", [made, made_anthropic])
def test_async_judges_of_one_loop_share_one_connection(
    connect: Callable[[Provider], judgekit.Model], provider: Provider
) -> None:
    async def five() -> None:
        for _ in range(5):
            judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=connect(provider))
            await judge(outputs="x")

    asyncio.run(five())
    assert (provider.count, provider.connections) == (5, 1)


@pytest.mark.parametrize("connect", [made, made_anthropic])
def test_a_second_event_loop_gets_a_client_of_its_own(
    connect: Callable[[Provider], judgekit.Model], provider: Provider
) -> None:
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=connect(provider))
    for _ in range(3):
        assert asyncio.run(judge(outputs="x"))["score"] is True
    assert provider.connections == 3


def test_no_client_and_no_connection_is_left_open(provider: Provider) -> None:
    """Neither after the loop's end nor after a connection that is no longer used."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for i in range(3):
            address = f"{provider.url}/left{i}/v1"
            model = judgekit.connect("openai:judge", base_url=address, api_key="loopback")
            asyncio.run(judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x"))
            judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x")
        forget_connections()
        del model
        gc.collect()
        judgekit.create_llm_as_judge(prompt=PROMPT, judge=made(provider))(
            outputs="x"
        )  # lets the portal's loop close them
        gc.collect()
    assert [str(warning.message) for warning in told] == []


@pytest.mark.parametrize("connect", [made, made_anthropic])
def test_the_clients_own_transport_does_where_aiohttp_is_not_installed(
    connect: Callable[..., judgekit.Model], provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judgekit.models.official._HAS_AIOHTTP", False)
    monkeypatch.setattr(Provider, "url", f"{provider.url}/plain")  # an address that has no client yet
    model = connect(provider)
    assert judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x")["score"] is True
    awaited = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=model)
    assert asyncio.run(awaited(outputs="x"))["score"] is True
    assert provider.count == 2


def forget_connections() -> None:
    from judgekit.models import official

    official._openai.cache_clear()


def test_a_loop_that_was_closed_without_its_generators_is_forgotten(provider: Provider) -> None:
    connection = made(provider).client
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=made(provider))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(judge(outputs="x"))
    client, _ = connection._clients[loop]
    loop.run_until_complete(client.close())
    loop.close()
    asyncio.run(judge(outputs="x"))
    assert loop not in connection._clients


def test_a_sync_judge_works_inside_a_running_loop(provider: Provider) -> None:
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=made(provider))

    async def notebook() -> Any:
        return judge(outputs="x")

    assert asyncio.run(notebook())["score"] is True


def test_a_sync_judge_works_inside_the_portal_s_own_loop(provider: Provider) -> None:
    """As a sync function of the user does when rows are evaluated there."""
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=made(provider))

    async def row() -> Any:
        return judge(outputs="x")

    assert PORTAL.call(row())["score"] is True


def test_two_hundred_judgements_at_once(provider: Provider) -> None:
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=made(provider))

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(judge(outputs=str(i)) for i in range(200)))

    results = asyncio.run(all_at_once())
    assert [result["score"] for result in results] == [True] * 200
    assert provider.count == 200
    assert provider.peak > 20


def test_threads_share_the_portal(provider: Provider) -> None:
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=made(provider))
    futures = [start(lambda: judge(outputs="x")) for _ in range(16)]
    assert [waited(future, PATIENCE)["score"] for future in futures] == [True] * 16
    assert provider.count == 16


@pytest.mark.parametrize("kind", ["made", "given", "given-with-timeout"])
def test_ctrl_c_stops_a_hanging_call_at_once(kind: str, provider: Provider, openai_client: OpenAI) -> None:
    provider.reply(never())
    settings: dict[str, Any] = {"timeout": PATIENCE} if kind == "given-with-timeout" else {}
    model = made(provider) if kind == "made" else judgekit.connect(openai_client, "judge", **settings)
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)

    def interrupt() -> None:
        provider.wait_for(1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    usual = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # tests started in the background ignore it
    threading.Thread(target=interrupt).start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            judge(outputs="x")
    finally:
        signal.signal(signal.SIGINT, usual)
    assert time.monotonic() - begin < PATIENCE / 2
    assert provider.count == 1


def test_an_interrupted_call_is_cancelled_in_the_portal(provider: Provider) -> None:
    provider.reply(never())
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=made(provider, deadline=0.05))
    with pytest.raises(DeadlineError):
        judge(outputs="x")
    wait_until(lambda: not provider._tasks)  # the provider sees the client go


def test_a_cancelled_judge_cancels_its_request(provider: Provider) -> None:
    provider.reply(never())
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=made(provider))

    async def given_up() -> None:
        task = asyncio.create_task(judge(outputs="x"))
        await asyncio.to_thread(provider.wait_for, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(wait_until, lambda: not provider._tasks)

    asyncio.run(given_up())
    assert provider.count == 1


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.001)


def test_a_sync_client_does_not_block_the_loop(provider: Provider, openai_client: OpenAI) -> None:
    gate = Gate()
    provider.reply(
        Reply({"choices": [{"message": {"content": '{"reasoning": "r", "score": true}'}}]}, after=gate)
    )
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=openai_client, model="judge")

    async def judged() -> Any:
        task = asyncio.create_task(judge(outputs="x"))
        await asyncio.to_thread(provider.wait_for, 1)  # this loop turns while the client waits
        gate.open()
        return await task

    assert asyncio.run(judged())["score"] is True


def test_a_sync_client_that_hangs_does_not_keep_the_loop_from_ending(
    provider: Provider, openai_client: OpenAI
) -> None:
    provider.reply(never())
    model = judgekit.connect(openai_client, "judge", deadline=0.05)
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=model)
    begin = time.monotonic()
    with pytest.raises(DeadlineError):
        asyncio.run(judge(outputs="x"))
    assert time.monotonic() - begin < PATIENCE / 2


def test_many_calls_of_a_sync_client_are_under_way_together(
    provider: Provider, openai_client: OpenAI
) -> None:
    gate = Gate()
    provider.reply(
        Reply({"choices": [{"message": {"content": '{"reasoning": "r", "score": true}'}}]}, after=gate)
    )
    judge = judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=openai_client, model="judge")

    async def all_at_once() -> list[Any]:
        tasks = [asyncio.create_task(judge(outputs=str(i))) for i in range(20)]
        await asyncio.to_thread(provider.wait_for, 20)  # more than a thread pool of this machine has
        gate.open()
        return await asyncio.gather(*tasks)

    assert len(asyncio.run(all_at_once())) == 20


def test_context_variables_reach_the_client() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
    seen: list[str] = []

    class Completions:
        def create(self, **_: Any) -> Any:
            seen.append(variable.get())
            return {"choices": [{"message": {"content": '{"reasoning": "r", "score": true}'}}]}

    class Client:
        class chat:  # noqa: N801
            completions = Completions()

    variable.set("mine")
    for timeout in (None, PATIENCE):
        model = judgekit.connect(Client(), "judge", timeout=timeout)
        judgekit.create_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x")
        asyncio.run(judgekit.create_async_llm_as_judge(prompt=PROMPT, judge=model)(outputs="x"))
    assert seen == ["mine"] * 4


def test_a_portal_can_be_closed_and_used_again() -> None:
    portal = Portal()

    async def name() -> str:
        return threading.current_thread().name

    async def inner() -> Any:
        return portal.call(name())

    assert portal.call(name()) == "judgekit-portal"
    assert portal.call(inner()) == "judgekit-portal"
    portal.close()
    portal.close()
    assert portal.call(name()) == "judgekit-portal"
    portal.close()


def test_a_portal_cancels_what_is_under_way_when_it_is_closed() -> None:
    portal = Portal()
    ended: list[str] = []

    async def hang() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            ended.append("cancelled")

    async def begin() -> None:
        asyncio.get_running_loop()._kept = asyncio.create_task(hang())  # type: ignore[attr-defined]  # or it is collected
        await asyncio.sleep(0)

    portal.call(begin())
    portal.close()
    assert ended == ["cancelled"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_judges_too(provider: Provider) -> None:
    judge = judgekit.create_llm_as_judge(prompt=PROMPT, judge=made(provider))
    judge(outputs="parent")
    context = multiprocessing.get_context("fork")
    outcomes = context.SimpleQueue()
    child = context.Process(target=lambda: outcomes.put(judge(outputs="child")["score"]))
    child.start()
    child.join(PATIENCE)
    alive = child.is_alive()
    child.kill()
    assert not alive
    assert outcomes.get() is True
    assert judge(outputs="parent")["score"] is True


def test_a_call_that_is_given_up_says_so() -> None:
    gate = threading.Event()
    with pytest.raises(StillRunning):
        waited(start(gate.wait), 0.01)
    gate.set()


def test_a_call_s_own_timeout_is_its_own() -> None:
    def late() -> None:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine") as caught:
        waited(start(late), PATIENCE)
    assert not isinstance(caught.value, StillRunning)


def test_a_connection_is_the_same_for_the_same_address_and_key(provider: Provider) -> None:
    first = openai_connection(provider.url, "a")
    assert openai_connection(provider.url, "a") is first
    assert openai_connection(provider.url, "b") is not first
    assert openai_connection(f"{provider.url}/other", "a") is not first


def test_a_connection_travels_without_its_key(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    model = judgekit.connect("openai:judge", base_url=f"{provider.url}/v1", temperature=0)
    data = pickle.dumps(model)
    assert b"sk-very-secret" not in data
    again = pickle.loads(data)
    assert again == model
    judgekit.create_llm_as_judge(prompt=PROMPT, judge=again)(outputs="x")
    assert provider.last.headers["authorization"] == "Bearer sk-very-secret"
    with pytest.raises(ConfigError, match="cannot be pickled"):
        pickle.dumps(made(provider))
