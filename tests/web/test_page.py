"""The page in a real browser, on a real server: a learner's way, and what goes wrong on it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.web.serving import CHROMIUM, HANGING, RIGHT, SLOW, WRONG

pytestmark = pytest.mark.web

PATIENCE_MS = 40_000
CRASHING = RIGHT.replace("    attended = multi", "    x[99999]\n    attended = multi")
MARKUP = (
    "def encoder_block(*arguments):\n"
    "    print('<script>window.hit = 1</script><img src=x onerror=\"window.hit = 2\">')\n"
    "    raise ValueError('<b onmouseover=\"window.hit = 3\">bold</b><script>hit = 4</script>')\n"
    "# </textarea></script><script>window.hit = 5</script>\n"
)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        launched = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture
def learner(browser, shared_server):
    """Return a function that opens the page as a new learner."""
    contexts = []

    def open_page(path: str = "/", url: str = "", **options: Any) -> Page:
        contexts.append(browser.new_context(**options))
        page: Page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto((url or shared_server.url) + path)
        ready(page)
        return page

    expect.set_options(timeout=PATIENCE_MS)
    yield open_page
    for context in contexts:
        context.close()


def ready(page: Page) -> None:
    """Wait until the editor is there and its draft is kept."""
    page.wait_for_selector(".cm-content[aria-label]")


def write(page: Page, text: str) -> None:
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def written(page: Page) -> str:
    """Return what stands in the editor, the lines that are not in view included."""
    found: str = page.evaluate(
        "getElement(document.querySelector('.editor')).editor.state.doc.toString()"
    )
    return found


def submit(page: Page, text: str, button: str = "Submit") -> None:
    write(page, text)
    page.get_by_role("button", name=button, exact=True).click()


def verdict(page: Page, text: str) -> None:
    expect(page.locator(".status")).to_contain_text(text)


def test_from_the_starter_to_accepted(learner):
    page = learner()
    problem = page.frame_locator(".problem-pane iframe")
    expect(problem.locator("h1").first).to_contain_text("Encoder Block")
    assert "def encoder_block" in written(page)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator(".status.bad")).to_be_visible()
    submit(page, RIGHT, "Run on the samples")
    verdict(page, "AC, accepted on the samples")
    expect(page.get_by_text("Right on the samples. Submit runs all cases.")).to_be_visible()
    page.get_by_role("button", name="Submit", exact=True).click()
    verdict(page, "AC, accepted")
    expect(page.locator(".status")).not_to_contain_text("samples")
    cells = page.locator(".cell").count()
    expect(page.locator(".cell.good")).to_have_count(cells)
    assert page.complaints == []


def test_a_wrong_one_is_explained_step_by_step_with_a_case_to_paste(learner, tmp_path):
    page = learner()
    submit(page, WRONG)
    verdict(page, "WA, wrong answer")
    card = page.locator(".card", has_text="Looks like")
    advice = card.locator("[role=status] p")
    expect(advice).to_have_count(1)
    for count in (2, 3):
        card.get_by_role("button", name="Say more").click()
        expect(advice).to_have_count(count)
    expect(card.get_by_role("button", name="Say more")).to_have_count(0)
    assert len(set(advice.all_inner_texts())) == 3
    card.get_by_text("A small case that shows it").click()
    case = card.locator("pre").inner_text()
    # What is offered runs as it is beside one's file, and tells right from wrong.
    (tmp_path / "case.py").write_text(case)
    for source, right in ((RIGHT, True), (WRONG, False)):
        (tmp_path / "encoder_block.py").write_text(source)
        command = [sys.executable, "-B", "case.py"]
        done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.splitlines()[0] == ("right" if right else "wrong"), done.stderr
    report = page.frame_locator(".report-frame")
    expect(report.get_by_text("sample/two-heads").first).to_be_attached()
    expect(report.locator("figure table, figure .panel").first).to_be_attached()


def test_of_a_secret_case_the_report_shows_no_value(learner):
    page = learner()
    submit(page, WRONG)
    verdict(page, "WA")
    frame = page.frame_locator(".report-frame")
    text = frame.locator("body").inner_html()
    assert "secret/" in text
    for group in ("Inputs", "Expected"):
        for details in frame.locator("details", has_text=group).all():
            assert "secret/" not in details.inner_text()


def test_a_crash_marks_its_line_with_its_message(learner):
    page = learner()
    submit(page, CRASHING)
    verdict(page, "RTE, run-time error")
    line = CRASHING.split("\n").index("    x[99999]") + 1
    expect(page.locator(".failing-line")).to_contain_text("x[99999]")
    expect(page.locator(".failing-note")).to_contain_text("IndexError")
    expect(page.locator(".card.fault")).to_contain_text(f"line {line}")
    submit(page, "def encoder_block(:\n    pass\n")
    verdict(page, "CE")
    expect(page.locator(".failing-line")).to_contain_text("def encoder_block(:")


def test_a_hang_is_told_and_another_can_be_cancelled_meanwhile(learner):
    page = learner()
    submit(page, HANGING)
    verdict(page, "Running")
    other = learner()
    submit(other, HANGING)
    other.get_by_role("button", name="Cancel").click()
    verdict(other, "Cancelled")
    verdict(page, "TLE, time limit exceeded")


def test_markup_that_a_submission_prints_or_holds_is_text(learner):
    page = learner()
    submit(page, MARKUP)
    verdict(page, "RTE")
    expect(page.locator(".card.fault")).to_contain_text("<script>hit = 4</script>")
    report = page.frame_locator(".report-frame")
    expect(report.get_by_text("window.hit = 1").first).to_be_attached()
    for frame in page.frames:
        assert frame.evaluate("typeof window.hit") == "undefined"
    page.get_by_text("My submissions").click()
    expect(page.locator(".history tbody tr")).to_have_count(1)
    assert page.evaluate("typeof window.hit") == "undefined"


def test_two_learners_at_once_see_their_own(learner):
    one, two = learner(), learner()
    submit(one, SLOW)
    submit(two, WRONG)
    verdict(two, "WA")
    verdict(one, "AC, accepted")
    for page, text in ((one, "AC"), (two, "WA")):
        page.get_by_text("My submissions").click()
        rows = page.locator(".history tbody tr")
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text(text)


def test_a_restart_in_the_middle_loses_neither_text_nor_verdict(learner, serve):
    server = serve("--jobs", "1")
    page = learner(url=server.url)
    submit(page, SLOW)
    verdict(page, "Running")
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("# written while it ran\n")
    server.kill()
    page.keyboard.insert_text("# written while the server was away\n")
    with page.expect_navigation():
        server.start(port=server.port)
    ready(page)
    verdict(page, "AC, accepted")
    assert written(page).endswith("# written while it ran\n# written while the server was away\n")


def test_the_draft_is_kept_and_a_link_shows_what_was_submitted(learner):
    page = learner()
    submit(page, WRONG, "Run on the samples")
    verdict(page, "WA")
    link = page.get_by_role("link", name="A link to this submission").get_attribute("href")
    write(page, "a_draft = 1\n")
    page.reload()
    ready(page)
    assert written(page) == "a_draft = 1\n"
    page.goto(page.url.partition("/submissions")[0])
    ready(page)
    assert written(page) == "a_draft = 1\n"
    stranger = learner(link)
    verdict(stranger, "WA")
    assert written(stranger) == WRONG
    expect(stranger.get_by_role("button", name="Cancel")).not_to_be_visible()
    nowhere = learner("/submissions/no-such-id-here-")
    verdict(nowhere, "no such submission")


def test_reset_undo_search_upload_and_download(learner, tmp_path):
    page = learner()
    starter = written(page)
    write(page, "mine = 1\n")
    # Changes that follow each other within half a second are undone together.
    page.evaluate("Date.now = ((now) => () => now() + 5000)(Date.now)")
    page.get_by_role("button", name="Reset to the starter").click()
    expect(page.locator(".cm-content")).to_contain_text("def encoder_block")
    assert written(page) == starter
    page.click(".cm-content")
    page.keyboard.press("Control+z")
    assert written(page) == "mine = 1\n"
    page.keyboard.press("Control+f")
    expect(page.locator(".cm-search input").first).to_be_focused()
    assert page.locator(".cm-lineNumbers").count() == 1
    file = tmp_path / "solution.py"
    file.write_text("uploaded = 1\n")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload").click()
    chooser.value.set_files(file)
    expect(page.locator(".cm-content")).to_contain_text("uploaded = 1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.path().read_text() == "uploaded = 1\n"
    assert download.value.suggested_filename == "encoder_block.py"


def test_history_shows_what_changed_between_any_two(learner):
    page = learner()
    for source in (RIGHT, WRONG, "# third\n" + WRONG):
        submit(page, source, "Run on the samples")
        expect(page.locator(".report-frame")).to_be_visible()
    page.get_by_text("My submissions").click()
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(3)
    boxes.nth(0).click()
    boxes.nth(2).click()
    expect(page.locator(".changes .added").first).to_contain_text("# third")
    expect(page.locator(".changes .removed").first).to_contain_text("np.sqrt(d_k)")
    boxes.nth(1).click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)


def test_keyboard_alone_is_enough(learner):
    page = learner()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(CRASHING)
    page.keyboard.press("Control+Enter")
    verdict(page, "RTE, run-time error on the samples")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(RIGHT)
    page.keyboard.press("Control+Shift+Enter")
    verdict(page, "AC, accepted")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText.trim()") == "Run on the samples"


def test_dark_and_light_reach_editor_and_frames_and_are_remembered(learner):
    page = learner(color_scheme="light")
    submit(page, WRONG, "Run on the samples")
    verdict(page, "WA")
    expect(page.locator(".report-frame")).to_be_visible()
    page.get_by_role("button", name="Dark or light").click()
    expect(page.locator("body.body--dark")).to_be_attached()
    page.reload()
    ready(page)
    expect(page.locator("body.body--dark")).to_be_attached()
    page.frame_locator(".report-frame").locator("h1, h2").first.wait_for()
    colours = "getComputedStyle(document.body).backgroundColor"
    for frame in page.frames:
        red, green, blue = frame.evaluate(f"{colours}.match(/\\d+/g).slice(0, 3).map(Number)")
        assert max(red, green, blue) < 60, frame.url
    editor = page.locator(".cm-editor").evaluate("e => getComputedStyle(e).backgroundColor")
    assert max(int(part) for part in editor.removeprefix("rgb(").rstrip(")").split(",")) < 60


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]
)
def test_axe_finds_nothing_and_nothing_overflows(learner, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = learner(viewport={"width": width, "height": 740}, color_scheme=scheme, bypass_csp=True)
    submit(page, WRONG)
    verdict(page, "WA")
    page.get_by_text("A small case that shows it").click()
    page.get_by_text("My submissions").click()
    expect(page.locator(".history tbody tr")).to_have_count(1)
    assert page.evaluate(OVERFLOW) == 0
    page.wait_for_function("document.getAnimations().length === 0")
    found = Axe().run(page).response["violations"]
    assert [
        f"{rule['id']}: {rule['help']}: {node['target']}: {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"][:4]
    ] == []
