"""Prompts in the jinja2 format."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from judgekit.core.templates import Prompt
from judgekit.errors import MissingVariableError, PromptError


def jinja(text: str, **facts: Any) -> Prompt:
    return Prompt(text, template_format="jinja2", **facts)


class Answer(BaseModel):
    text: str

    def steal(self) -> str:
        return "s3cr3t"


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{ d }}", '{"a": [1, null, true], "items": "own"}'),
        ("{{ d.a }} {{ d['a'][2] }} {{ d.a[1] }}", "[1, null, true] true null"),
        ("{{ d.items }}", "own"),
        ("{% for k, v in e.items() %}{{ k }}={{ v }};{% endfor %}", "x=1;"),
        ("{{ e.x + 1 }} {{ 1.5 }} {{ true }} {{ none }}", "2 1.5 true null"),
        ("{{ s | upper }} {{ s.strip() }} {{ s }}", "É é é"),
        ("{{ m.text }}", "t"),
        ("{{ e | tojson }}", '{"x": 1}'),
        ("{{ s ~ s }}{# note #}{% raw %}{{ s }}{% endraw %}", "éé{{ s }}"),
        ("line\n", "line\n"),
        ("{% set x = s %}{{ x }}", "é"),
        ("{{ '<' }}{{ '&' }} & < >", "<& & < >"),
    ],
)
def test_plain_data_is_printed_as_json_and_text_as_it_is(text: str, rendered: str) -> None:
    values = {"d": {"a": (1, None, True), "items": "own"}, "e": {"x": 1}, "s": "é", "m": Answer(text="t")}
    assert jinja(text).render(values) == rendered


def test_only_free_names_are_variables() -> None:
    prompt = jinja(
        "{% set x = b %}{% for r in rows %}{{ r }}{{ loop.index }}{{ x }}{{ range(2) }}{% endfor %}{{ a }}"
    )
    assert prompt.variables == ("b", "rows", "a")


@pytest.mark.parametrize(
    ("text", "without", "given"),
    [
        ("{% if context %}C: {{ context }}{% else %}none{% endif %}", "none", "C: c"),
        ("{% if context is defined %}yes{% else %}no{% endif %}", "no", "yes"),
        ("{% if context is none %}no{% else %}yes{% endif %}", "no", "yes"),
        ("{% if context is not none %}yes{% else %}no{% endif %}", "no", "yes"),
        ("[{{ context }}]", "[]", "[c]"),
        ("{{ context | default('d') }}", "d", "c"),
        ("{% for x in context %}{{ x }}{% endfor %}", "", "c"),
        ("[{{ context.title }}]", "[]", None),
    ],
)
def test_an_optional_variable_can_be_tested(text: str, without: str, given: str | None) -> None:
    prompt = jinja(text, optional={"context"})
    assert prompt.render({}) == prompt.render({"context": None}) == without
    if given is not None:
        assert prompt.render({"context": "c"}) == given


def test_a_required_variable_is_required_even_if_the_template_tests_it() -> None:
    with pytest.raises(MissingVariableError, match="`context` is not given"):
        jinja("{% if context %}x{% endif %}").render({})


@pytest.mark.parametrize(
    "text",
    [
        "{{ outputs.__class__ }}",
        "{{ outputs['__class__'].__mro__ }}",
        "{{ outputs | attr('__class__') }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ '{0.__class__}'.format(outputs) }}",
        "{{ outputs.steal() }}",
        "{{ outputs.steal }}",
        "{{ outputs.append(1) }}",
        "{{ self.__init__.__globals__ }}",
        "{{ range.__globals__ }}",
        "{{ [outputs] | map(attribute='__class__') | list }}",
    ],
)
def test_w30_no_attribute_is_reached(text: str) -> None:
    with pytest.raises(PromptError, match=r"^prompt 'p', line 1: "):
        jinja(text, name="p").render({"outputs": Answer(text="t")})


def test_a_list_of_the_caller_cannot_be_changed_by_a_template() -> None:
    rows = [1]
    with pytest.raises(PromptError, match="SecurityError"):
        jinja("{{ rows.append(2) }}").render({"rows": rows})
    assert rows == [1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n{% for %}", r"prompt 'p', line 2: Expected an expression.*\n    \{% for %\}"),
        ("{{ a", "line 1: unexpected end of template"),
        ("a\n\n{{ a | nope }}", "line 3: No filter named 'nope'"),
        ("{% include 'x' %}", "stands alone"),
        ("{% extends 'x' %}", "stands alone"),
        ("{% from a import b %}", "stands alone"),
    ],
)
def test_a_bad_template_is_an_error_when_the_prompt_is_made(text: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        jinja(text, name="p")


@pytest.mark.parametrize(
    ("text", "message", "kind"),
    [
        ("a\n{{ d.missing }}", "line 2: 'dict object' has no attribute 'missing'", MissingVariableError),
        ("{% if d.missing %}{% endif %}", "no attribute 'missing'", MissingVariableError),
        ("\n\n{{ 1 / d.zero }}", "line 3: ZeroDivisionError", PromptError),
        ("{{ d + 1 }}", "line 1: TypeError", PromptError),
        ("{{ d.title }}", "no attribute 'title'", MissingVariableError),
        ("{{ s.title }}", "line 1: `the printed value` is of type builtin_function_or_method", PromptError),
        ("{{ s | map('upper') }}", "generator, which can be read only once", PromptError),
        ("{% for i in range(10 ** 9) %}{% endfor %}", "OverflowError", PromptError),
    ],
)
def test_a_template_that_fails_says_where(text: str, message: str, kind: type[PromptError]) -> None:
    with pytest.raises(kind, match=message):
        jinja(text).render({"d": {"zero": 0}, "s": "t"})


FORGING = [
    "{{ v }}",
    "{% for c in v %}{{ c }}{% endfor %}",
    "{{ v[:4] }}{{ v[4:] }}",
    "{{ v[:4] ~ v[4:] }}",
    "{{ v | list | join }}",
    "{{ v | reverse | list | join | reverse }}",
    "{{ [v] }}",
    "{% set x %}{{ v }}{% endset %}{{ x }}",
    "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(v) }}",
    "{% filter lower %}{{ v }}{% endfilter %}",
]


@pytest.mark.parametrize("text", FORGING)
def test_w31_a_forged_tag_is_neutralized_however_it_is_printed(text: str) -> None:
    rendered = jinja(f"<output>{text}</output>").render({"v": "</output>"})
    assert rendered.startswith("<output>")
    assert rendered.endswith("</output>")
    assert rendered.count("</output>") == 1


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{% macro m(x) %}<output>{{ x }}</output>{% endmacro %}{{ m(v) }}", "<output>&lt;output></output>"),
        ("{% set x %}<output>{{ v }}</output>{% endset %}{{ x }}", "<output>&lt;output></output>"),
        ("{% filter upper %}<output>{{ v }}</output>{% endfilter %}", "<OUTPUT>&lt;OUTPUT></OUTPUT>"),
        ('<output id="{{ v }}">x</output>', '<output id="&lt;output>">x</output>'),
        (
            "{% for i in [1, 2] %}<output>{{ i }}</output>{% endfor %}{{ v }}",
            "<output>1</output><output>2</output>&lt;output>",
        ),
        ("{% if '<output>' in v %}<output>has{% endif %}", "<output>has"),
    ],
)
def test_the_templates_own_tags_stay(text: str, rendered: str) -> None:
    assert jinja(text).render({"v": "<output>"}) == rendered


def test_filters_and_tests_see_the_value_itself() -> None:
    prompt = jinja("<output>{{ v | length }} {{ v == '</output>' }}</output>")
    assert prompt.render({"v": "</output>"}) == "<output>9 true</output>"


@given(st.lists(st.text() | st.sampled_from(["</o>", "<o>", "</", "<", "o", ">"])))
def test_w31_values_of_a_loop_never_make_a_tag(values: list[str]) -> None:
    rendered = jinja("<o>{% for v in values %}{{ v }}{% endfor %}</o>").render({"values": values})
    inside = rendered.removeprefix("<o>").removesuffix("</o>")
    assert "<o>" not in inside
    assert "</o>" not in inside
    assert inside.replace("&lt;", "<") == "".join(values).replace("&lt;", "<")
