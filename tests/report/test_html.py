"""The page as it is written: what it says, and that nothing in it can break out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from judgekit.report.html import Bounds, write_report
from judgekit.report.html_compare import row_link
from judgekit.report.html_data import embedded
from judgekit.report.html_markup import el, visible
from judgekit.report.html_plots import Axis, histogram
from judgekit.runner.results import Results
from tests.support.report_rows import HOSTILE, experiment, row


def written(folder: Path, results: Results, **options: Any) -> str:
    return write_report(results, folder / "page.html", **options).read_text("utf-8")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_path_is_returned_and_the_page_is_named(tmp_path: Path) -> None:
    path = write_report(experiment("shop", 8), tmp_path / "page.html", title="Friday's run")

    assert path == tmp_path / "page.html"
    assert "<title>Friday&#x27;s run</title>" in path.read_text("utf-8")


def test_the_policy_lets_only_the_page_s_own_style_and_script_in(tmp_path: Path) -> None:
    page = written(tmp_path, experiment("shop", 8))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    style, script = (
        re.search(r"<style>(.*?)</style>", page, re.DOTALL),
        re.search(r"<script>(.*?)</script>", page, re.DOTALL),
    )

    assert policy is not None
    assert style is not None
    assert script is not None
    for name, asset in (("style-src", style[1]), ("script-src", script[1])):
        digest = base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]


def test_no_element_has_a_style_a_handler_or_an_address_elsewhere(tmp_path: Path) -> None:
    page = written(tmp_path, experiment("shop", 12), other=experiment(HOSTILE, 12, seed=1))

    elements = Elements(page).found
    assert {"table", "svg", "details"} <= {tag for tag, _ in elements}
    assert not {"img", "link", "iframe", "object"} & {tag for tag, _ in elements}
    assert sum(tag == "script" for tag, _ in elements) == 2
    for _, attributes in elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src")]
        assert (attributes.get("href") or "#").startswith("#")


def test_judged_text_comes_back_from_the_data_as_it_was(tmp_path: Path) -> None:
    page = written(tmp_path, experiment("shop", 8))

    hostile = data_of(page)["runs"][0]["rows"][3]
    assert hostile["outputs"] == HOSTILE
    assert hostile["exchanges"][0]["messages"][0]["role"] == HOSTILE


@pytest.mark.parametrize(
    "text", ["</script>", "<!--<script>", "&lt;", "\u2028\u2029", "\ud83d\ude00", "\udc00", "\x00", "é漢"]
)
def test_embedded_json_holds_no_markup_and_is_the_same_value(text: str) -> None:
    found = embedded({text: [text]})

    assert not re.search("[<>&\u2028\u2029\ud800-\udfff\x00]", found)
    assert json.loads(found) == json.loads(json.dumps({text: [text]}))


def test_numbers_that_a_browser_would_change_are_written_out(tmp_path: Path) -> None:
    given = row(0, inputs={"big": 2**53 + 1, "small": 7, "odd": float("nan")})

    inputs = data_of(written(tmp_path, Results("shop", {}, [given])))["runs"][0]["rows"][0]["inputs"]

    assert inputs == {"big": "9007199254740993", "small": 7, "odd": "nan"}


def test_an_unknown_cost_is_unknown_and_a_known_one_is_dollars(tmp_path: Path) -> None:
    unknown, known = written(tmp_path, experiment("shop", 8)), written(tmp_path, experiment("shop", 4))

    assert "<dt>Cost</dt><dd>unknown</dd>" in unknown
    assert "<dt>Cost</dt><dd>$0.0040</dd>" in known


def test_failures_are_counted_and_are_no_scores(tmp_path: Path) -> None:
    page = written(tmp_path, experiment("shop", 8))

    assert '<dt>Failed</dt><dd>1</dd><dd class="note">12.5% of rows</dd>' in page
    assert re.search(r"correctness</bdi><small>pass rate</small></th>(<td[^>]*>\d</td>){3}", page)
    assert '<td class="number">7</td><td class="number">1</td><td class="number">0</td>' in page


def test_models_and_prompts_are_named(tmp_path: Path) -> None:
    page = written(tmp_path, experiment("shop", 3))

    assert "<td>openai:small</td><td>correctness</td><td>3</td><td>5f1c99aa00bb</td>" in page


def test_prompts_over_the_bound_are_left_out_and_the_page_says_so(tmp_path: Path) -> None:
    page = written(tmp_path, experiment("shop", 20), bounds=Bounds(prompt_bytes=600))

    rows = data_of(page)["runs"][0]["rows"]
    kept = sum("messages" in each["exchanges"][0] for each in rows)
    assert 0 < kept < 20
    assert f"rendered prompts are kept for the first {kept} of 20 rows" in page
    assert "messages" not in rows[kept]["exchanges"][0]


def test_rows_that_asked_no_model_do_not_end_the_prompts(tmp_path: Path) -> None:
    rows = [row(0, exchanges=()), row(1)]

    page = written(tmp_path, Results("shop", {}, rows))

    assert "rendered prompts are kept" not in page
    assert "messages" in data_of(page)["runs"][0]["rows"][1]["exchanges"][0]


@pytest.mark.parametrize("bounds", [Bounds(rows=7), Bounds(row_bytes=7_000)])
def test_rows_over_the_bound_are_left_out_and_the_page_says_so(tmp_path: Path, bounds: Bounds) -> None:
    page = written(tmp_path, experiment("shop", 40), bounds=bounds)

    carried = len(data_of(page)["runs"][0]["rows"])
    assert 0 < carried < 40
    assert f"the table holds the first {carried} of 40 rows" in page
    assert "<dt>Rows</dt><dd>40</dd>" in page


def test_a_run_that_ended_early_says_so(tmp_path: Path) -> None:
    results = Results("shop", {}, [row(0)], stopped="the budget is spent", left=1200)

    assert "shop ended early: the budget is spent; 1,200 rows were not run." in written(tmp_path, results)


def test_a_comparison_lists_the_flips_with_links(tmp_path: Path) -> None:
    before = Results("old", {}, [row(index, passes=index != 2) for index in range(30)])
    after = Results("new", {}, [row(index, passes=index != 1) for index in range(30)])

    page = written(tmp_path, after, other=before)

    assert "1 true → false, 1 false → true" in page
    assert page.index('href="#row=row-1"') < page.index('href="#row=row-2"')
    assert "30 examples in both experiments" in page
    assert len(data_of(page)["runs"]) == 2


def test_slices_are_of_columns_with_a_few_values(tmp_path: Path) -> None:
    rows = [
        row(index, metadata={"language": "de" if index % 2 else "en", "id": str(index)}) for index in range(9)
    ]

    page = written(tmp_path, Results("shop", {}, rows))

    assert "correctness by language" in page
    assert "correctness by id" not in page


def test_a_run_without_rows_has_a_page(tmp_path: Path) -> None:
    assert data_of(written(tmp_path, Results("empty", {}, [])))["runs"][0]["rows"] == []


def test_text_is_escaped_and_hidden_characters_are_shown() -> None:
    made = el("p", "<b>\u202e", class_='"x"', title="\x00", hidden=False)

    assert made == '<p class="&quot;x&quot;" title="[U+0000]">&lt;b&gt;<span class="odd">U+202E</span></p>'
    assert visible("plain\n\ttext") == "plain\n\ttext"


def test_a_link_to_a_row_is_an_address_for_any_id() -> None:
    assert row_link("a b&c=\ud800") == "#row=a%20b%26c%3D%EF%BF%BD"


def test_a_histogram_counts_every_value_once() -> None:
    values = [index / 7 for index in range(100)]

    counts = [
        int(found)
        for found in re.findall(r"<title>[^<]+ to [^<]+: (\d+)</title>", histogram(values, label="x"))
    ]

    assert sum(counts) == 100
    assert 10 <= len(counts) <= 25


def test_a_histogram_of_a_few_values_has_a_bar_for_each() -> None:
    made = histogram([1.0, 2.0, 2.0, 5.0], label="x")

    assert re.findall(r"<title>([^<]+: \d+)</title>", made) == ["1: 1", "2: 2", "5: 1"]


def test_axes() -> None:
    assert Axis.over([0.2, 0.9]) == Axis(0.0, 1.0)
    assert Axis.over([2.0, 5.0]) == Axis(2.0, 5.0)
    assert Axis.over([3.0]) == Axis(2.5, 3.5)
    assert Axis.over([-0.1, 0.3], zero=True) == Axis(-0.3, 0.3, True)
