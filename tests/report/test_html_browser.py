"""The page in a real Chromium: it finds, sorts and opens rows, and judged text does nothing in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from judgekit.report.html import write_report
from tests.support.browser import Page, chromium
from tests.support.report_rows import experiment


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    new = experiment("new", 120, seed=1)
    write_report(new, folder / "one.html")
    write_report(new, folder / "two.html", other=experiment("old", 120, seed=2))
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    """The browser on a desk, in light; the page may say nothing on the console and load nothing but itself."""
    browser.resize(1280)
    browser.emulate()
    yield browser
    assert browser.errors() == []
    assert [url for url in browser.requests() if not url.startswith(("file:", "about:"))] == []


def found(page: Page) -> str:
    return str(page.one("#found").text)


def ids(page: Page) -> list[str]:
    return [
        str(text)
        for text in page.run(
            "return [...document.querySelectorAll('button.open')].map((each) => each.textContent)"
        )
    ]


def column(page: Page, title: str) -> list[str]:
    script = """
        const heads = [...document.querySelectorAll('.rows thead th')].map((each) => each.textContent);
        const place = heads.indexOf(arguments[0]);
        return [...document.querySelectorAll('.rows tbody tr')].map((line) => line.children[place].textContent)"""
    return [str(text) for text in page.run(script, title)]


def choose(page: Page, label: str, option: str) -> None:
    from selenium.webdriver.support.ui import Select

    control = next(each for each in page.all(".controls label") if each.text.startswith(label))
    Select(control.find_element("css selector", "select")).select_by_visible_text(option)


def check(page: Page, label: str) -> None:
    next(each for each in page.all(".controls .check") if each.text == label).click()


def test_rows_are_shown_a_page_at_a_time(page: Page, pages: Path) -> None:
    page.open(pages / "one.html")
    assert found(page) == "120 of 120 rows, 1 to 50 shown"

    page.all(".pager button")[1].click()
    page.all(".pager button")[1].click()

    assert found(page) == "120 of 120 rows, 101 to 120 shown"
    assert ids(page)[0] == "row-100"
    assert not page.all(".pager button")[1].is_enabled()


def test_a_search_finds_the_rows_with_all_words(page: Page, pages: Path) -> None:
    page.open(pages / "one.html")

    page.one("input[type=search]").send_keys("NUMBER 42: thirty")

    assert ids(page) == ["row-42"]
    assert page.one("#found").get_attribute("aria-live") == "polite"


def test_rows_are_filtered_by_score_failure_and_metadata(page: Page, pages: Path) -> None:
    page.open(pages / "one.html")

    choose(page, "Score", "correctness")
    choose(page, "is", "false")
    assert set(column(page, "correctness")) == {"false"}

    choose(page, "Score", "helpfulness")
    page.one("input[type=number]").send_keys("4")
    assert set(column(page, "helpfulness")) == {"4", "5"}

    choose(page, "Score", "Any")
    choose(page, "Metadata", "language")
    choose(page, "is", "de")
    assert found(page).startswith("59 of 120 rows")  # row 3 has another language

    check(page, "Failed only")
    assert ids(page) == ["row-5"]
    assert "rate_limited" in column(page, "Failures")[0]

    next(each for each in page.all("button") if each.text == "Clear").click()
    assert found(page).startswith("120 of 120 rows")


def test_a_header_sorts_up_then_down_then_not(page: Page, pages: Path) -> None:
    page.open(pages / "one.html")
    button = next(each for each in page.all("button.sort") if each.text == "helpfulness")
    head = button.find_element("xpath", "./..")

    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert set(column(page, "helpfulness")[:5]) == {"1"}

    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert set(column(page, "helpfulness")[:5]) == {"5"}

    button.click()
    assert head.get_attribute("aria-sort") == "none"
    assert ids(page)[:3] == ["row-0", "row-1", "row-2"]


def test_a_row_opens_by_keyboard_and_shows_everything(page: Page, pages: Path) -> None:
    page.open(pages / "one.html")

    page.one("#open-5").send_keys("\ue007")  # the Enter key

    assert page.one("#open-5").get_attribute("aria-expanded") == "true"
    page.run("document.querySelectorAll('.detail details').forEach((each) => { each.open = true; })")
    text = page.one(".detail").text
    for part in ("Question 5", "Answer number 5", "Thirty days.", "The provider said to slow down.", "after 4 attempts",
                 "half an ans", "Grade the answer.", "cost unknown", "language"):  # fmt: skip
        assert part in text
    assert page.run("return document.activeElement.id") == "open-5"

    page.one("#open-5").send_keys("\ue007")
    assert page.all(".detail") == []


def test_a_link_opens_its_row_wherever_it_is(page: Page, pages: Path) -> None:
    page.open(pages / "one.html", "#row=row-77")

    assert page.one("#open-77").get_attribute("aria-expanded") == "true"
    assert found(page) == "120 of 120 rows, 51 to 100 shown"

    page.run("location.hash = '#row=row-999'")
    page.wait(lambda: found(page) == "This page has no row row-999.")


def test_a_flip_is_followed_to_both_answers(page: Page, pages: Path) -> None:
    page.open(pages / "two.html")
    page.one("input[type=search]").send_keys("nothing has this")
    link = page.one("#comparison details a")
    name = link.text

    link.click()

    page.wait(lambda: page.all(".detail .beside"))
    assert (
        ids(page)[[each.get_attribute("aria-expanded") for each in page.all("button.open")].index("true")]
        == name
    )
    assert [each.text for each in page.all(".detail [aria-label=Outputs] h4")] == ["new", "old"]


def test_changed_rows_can_be_asked_for(page: Page, pages: Path) -> None:
    page.open(pages / "two.html")

    choose(page, "Score", "correctness")
    check(page, "Changed only")

    assert 0 < int(found(page).split()[0]) < 120
    assert all("→" in cell for cell in column(page, "correctness"))


@pytest.mark.parametrize("name", ["one.html", "two.html"])
def test_a_hostile_row_does_nothing(page: Page, pages: Path, name: str) -> None:
    page.open(pages / name)
    page.run("window.alert = () => { window.attacked = true; }")

    page.one("#open-3").click()
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    choose(page, "Metadata", "language")

    shown = page.one(".detail").get_attribute("textContent")
    assert "</script><script>alert(1)</script><img src='http://evil.invalid/x'" in shown
    assert "U+2028" in shown
    assert "U+202E" in shown
    assert "U+D800" in shown
    assert "U+0000" in shown
    assert not set("\u2028\u202e\x00") & set(shown)
    assert page.all("img, iframe, object, embed") == []
    assert page.run("return [document.scripts.length, window.attacked]") == [2, None]


def test_the_policy_stops_markup_that_got_in_all_the_same(browser: Page, pages: Path) -> None:
    browser.open(pages / "one.html")

    attack = (
        "<img src=x onerror='window.attacked = 1'><b style='color: red' onclick='window.attacked = 2'>x</b>"
    )
    browser.run("document.body.insertAdjacentHTML('beforeend', arguments[0])", attack)
    browser.run("document.querySelector('body > b').click()")

    assert browser.run("return window.attacked") is None
    assert any("Content Security Policy" in message for message in browser.wait(browser.errors))


def test_dark_and_light_differ_and_both_can_be_read(page: Page, pages: Path) -> None:
    contrasts = []
    for scheme in ("light", "dark"):
        page.emulate(scheme=scheme)
        page.open(pages / "one.html")
        script = "const it = getComputedStyle(document.body); return [it.backgroundColor, it.color]"
        contrasts.append([_luminance(color) for color in page.run(script)])

    (light_ground, light_text), (dark_ground, dark_text) = contrasts
    assert (light_ground + 0.05) / (light_text + 0.05) > 7  # WCAG 2.2, 1.4.6
    assert (dark_text + 0.05) / (dark_ground + 0.05) > 7


def _luminance(color: str) -> float:
    parts = [int(part) / 255 for part in color.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", ["one.html", "two.html"])
def test_a_phone_scrolls_the_page_in_one_direction(page: Page, pages: Path, name: str) -> None:
    page.resize(375, 800)
    page.open(pages / name, "#row=row-3")
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")

    assert page.run("return [innerWidth, document.documentElement.scrollWidth]") == [375, 375]
    assert page.one(".detail").rect["width"] <= 375


def test_print_is_black_on_white_without_controls(page: Page, pages: Path) -> None:
    page.open(pages / "one.html", "#row=row-1")
    page.emulate(media="print", scheme="dark")

    assert not page.one(".controls").is_displayed()
    assert not page.one(".pager").is_displayed()
    assert page.one(".detail").is_displayed()
    assert page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_tables_and_controls_are_labelled(page: Page, pages: Path) -> None:
    page.open(pages / "two.html")

    assert (
        page.run(
            "return [...document.querySelectorAll('thead th:not([scope=col]), tbody th:not([scope=row])')].length"
        )
        == 0
    )
    assert page.run(
        "return [...document.querySelectorAll('table')].every((each) => each.caption && each.caption.textContent)"
    )
    assert page.run(
        "return [...document.querySelectorAll('input, select')].every((each) => each.labels.length === 1)"
    )
    assert page.run(
        "return [...document.querySelectorAll('svg')].every((each) => each.getAttribute('aria-label'))"
    )


def test_ten_thousand_rows_stay_usable(page: Page, tmp_path: Path) -> None:
    path = write_report(experiment("large", 10_000, text_size=1000), tmp_path / "large.html")
    assert path.stat().st_size < 25_000_000

    page.open(path)
    page.wait(lambda: page.all("#found"))
    took = page.run(
        """const field = document.querySelector('input[type=search]');
        document.querySelectorAll('button.sort')[2].click();
        field.value = 'row-777';
        const start = performance.now();
        field.dispatchEvent(new Event('input'));
        document.body.offsetHeight;
        return performance.now() - start"""
    )

    assert found(page) == "11 of 10,000 rows, 1 to 11 shown"
    assert len(page.all(".rows tbody tr")) == 11
    assert took < 2_000  # milliseconds; a tenth of it on an idle machine
