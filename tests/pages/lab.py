"""``python -m tests.pages.lab``: the page of the server in Chromium, led by Playwright, with the rules of axe.

Every panel is found by role and name, wide and narrow, light and dark; everything can be done by keyboard; texts of several
scripts stay in their places; a vocabulary of markup and control characters stays text; a hundred thousand tokens stay
smooth. Nothing may be in the console, and nothing may be asked of another host. Names of parts as arguments run these
alone. Pictures are left in ``.cache/pages``.
"""

from __future__ import annotations

import base64
import json
import shlex
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen
from xml.etree import ElementTree

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect, sync_playwright

import anypiece as ap
from tests.pages.browser import found
from tests.support.data import CACHE
from tests.support.serving import Served
from tests.support.worked import PLAIN, byte_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

PANELS = ("Tokens", "Bytes", "Lattice", "Steps", "N-best", "Draws", "Compare", "Stages", "Chat")
TEXTS = {
    "arabic": "مرحبا بكم جميعا، كيف الحال اليوم؟",
    "hebrew": "שָׁלוֹם לכולם abc וברוכים הבאים",
    "japanese": "日本語の文章を短く書く。カタカナも、ひらがなも。",
    "emoji": "👩‍👩‍👧 🦊 👍🏽 é e\u0301 ก็ \u0301 🇪🇺",
    "controls": "a\u202eb\u0007c\u200bd\u0000e \t\n\u2028 <b>&amp;</b>",
}
HOSTILE = [
    "<script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", '"><svg onload=window.hacked=1>',
    "javascript:window.hacked=1", "{{7*7}}", "\u202eabc", "\u0007", "</textarea>", "\u2028", "';window.hacked=1;'",
    "a\u0301\u0302\u0303", "&lt;b&gt;",
]  # fmt: skip
_LATE = 90_000


class Checks:
    """What was found wrong, and the pages that are looked at."""

    def __init__(self, browser: Browser, served: Served, pictures: Path) -> None:
        self.browser, self.served, self.pictures = browser, served, pictures
        self.wrong: list[str] = []
        self.done = 0

    def expect(self, holds: bool, what: str) -> None:
        """Note what does not hold."""
        self.done += 1
        if not holds:
            self.wrong.append(what)
            print(f"wrong: {what}", flush=True)

    def page(self, width: int = 1280, scheme: Any = "light", text: str | None = None, panel: str = "tokens") -> Page:
        """The page in a window, with a text."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=self.served.url)
        context.set_default_timeout(_LATE)
        page = context.new_page()
        page.on("console", lambda said: self.expect(said.type not in ("error", "warning"), f"console: {said.text}"))
        page.on("pageerror", lambda error: self.expect(False, f"error: {error}"))
        page.on("dialog", lambda shown: (self.expect(False, f"a dialog: {shown.message}"), shown.dismiss()))
        page.on("request", lambda asked: self.expect(self._is_own(asked.url), f"a request to {asked.url}"))
        page.goto(f"{self.served.url}/#panel={panel}")
        if text is not None:
            page.get_by_label("Text to tokenize").fill(text)
        self.settle(page)
        return page

    def _is_own(self, url: str) -> bool:
        return urlsplit(url).netloc == urlsplit(self.served.url).netloc

    def settle(self, page: Page) -> None:
        """Wait until what was asked last is shown."""
        page.wait_for_timeout(250)
        expect(page.locator("[aria-busy]")).to_have_count(0, timeout=_LATE)

    def open(self, page: Page, panel: str) -> Any:
        """Choose a panel, and the panel."""
        page.get_by_role("tab", name=panel, exact=True).click()
        self.settle(page)
        alert = page.get_by_role("alert").inner_text()
        self.expect(alert == "", f"{panel}: {alert}")
        return page.get_by_role("tabpanel", name=panel)

    def axe(self, page: Page, where: str) -> None:
        """What axe calls serious or critical."""
        for one in Axe().run(page).response["violations"]:
            nodes = "; ".join(node["html"][:120] for node in one["nodes"][:2])
            self.expect(
                one["impact"] not in ("serious", "critical"), f"{where}: {one['id']} ({one['impact']}): {nodes}"
            )
        self.done += 1

    def picture(self, page: Page, name: str) -> None:
        """Keep how it looks."""
        page.screenshot(path=self.pictures / f"lab-{name}.png", full_page=True)


def panels(checks: Checks) -> None:
    """Every panel, wide and narrow, light and dark."""
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")):
        page = checks.page(width, scheme, "Hello wörld, <s> unbelievable 你好 👋🏽")
        for panel in PANELS:
            shown = checks.open(page, panel)
            where = f"{panel}, {width} px, {scheme}"
            checks.expect(shown.is_visible() and len(shown.inner_text()) > 20, f"{where}: it is empty")
            wide = page.evaluate("document.documentElement.scrollWidth")
            checks.expect(wide <= width, f"{where}: the page is {wide} px wide")
            checks.axe(page, where)
            checks.picture(page, f"{panel.lower()}-{width}-{scheme}")
        page.context.close()


def contents(checks: Checks) -> None:
    """What panels show is what the library says."""
    tok, text = ap.load(), "Hello unbelievable world"
    page = checks.page(text=text)
    tokens = tok.encode_spans(text)
    options = checks.open(page, "Tokens").get_by_role("option")
    checks.expect(options.count() == len(tokens), f"Tokens: {options.count()} of {len(tokens)}")
    grounds = options.evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    checks.expect(len(set(grounds)) == min(6, len(grounds)), f"Tokens: their grounds are {set(grounds)}")
    options.nth(1).click()
    told = page.get_by_role("tabpanel", name="Tokens").locator("dl").inner_text().split("\n")
    checks.expect(str(tokens[1].id) in told and tokens[1].piece in told, f"Tokens: {told}")
    arcs = checks.open(page, "Lattice").locator("svg g.best")
    best = tok.lattice(text).viterbi()
    checks.expect(arcs.count() == len(best.edges), f"Lattice: {arcs.count()} arcs of the best path")
    steps = checks.open(page, "Steps")
    slider = steps.get_by_role("slider", name="Step")
    slider.fill("3")
    checks.expect("Position 3" in steps.inner_text(), "Steps: the slider does not move")
    rows = checks.open(page, "N-best").get_by_role("row")
    checks.expect(rows.count() == 11, f"N-best: {rows.count()} rows")
    draws = checks.open(page, "Draws")
    draws.get_by_label("alpha").fill("0")
    checks.settle(page)
    entropy = f"{tok.lattice(text).entropy(0):.4g}"[:4]
    checks.expect(entropy in draws.inner_text(), f"Draws: no entropy of {entropy} at alpha 0")
    compare = checks.open(page, "Compare")
    checks.expect(compare.get_by_role("listbox").count() == 2, "Compare: not two lists")
    compare.get_by_label("hostile").check()
    checks.settle(page)
    checks.expect(compare.get_by_role("listbox").count() == 3, "Compare: not three lists")
    checks.expect(compare.locator(".tok.odd").count() > 0, "Compare: no boundary is marked")
    chat = checks.open(page, "Chat")
    chat.get_by_role("button", name="Add a message").click()
    checks.settle(page)
    chat.get_by_label("Message 3", exact=True).fill("More </s>")
    chat.get_by_label("Message 3", exact=True).press("Tab")
    checks.settle(page)
    checks.expect("user: More </s>" in chat.inner_text(), "Chat: the third message is not shown")
    page.get_by_label("Text to tokenize").fill("a <|endoftext|> b")
    checks.settle(page)
    checks.expect("ordinary text" in page.get_by_role("note").inner_text(), "no warning of a special token")
    page.get_by_label("Special tokens", exact=True).select_option("parse")
    checks.settle(page)
    checks.expect("that token" in page.get_by_role("note").inner_text(), "no warning of a token that is parsed")
    page.context.close()


def windows(checks: Checks) -> None:
    """A long text is shown in windows; the lattice is panned by the pointer, and zoomed by buttons."""
    page = checks.page(text="unbelievable things " * 30)
    lattice = checks.open(page, "Lattice")
    picture = page.locator(".drawing svg")
    for button in ("Zoom in", "Zoom out", "Whole picture"):
        before = picture.get_attribute("viewBox")
        lattice.get_by_role("button", name=button).click()
        checks.expect(picture.get_attribute("viewBox") != before, f"windows: {button} does nothing")
    before, place = picture.get_attribute("viewBox"), picture.bounding_box()
    page.mouse.move(place["x"] + 200, place["y"] + 100)
    page.mouse.down()
    page.mouse.move(place["x"] + 100, place["y"] + 100)
    page.mouse.up()
    checks.expect(picture.get_attribute("viewBox") != before, "windows: a pointer does not move the picture")
    for panel, later, earlier, note in (
        ("Lattice", "Later text", "Earlier text", "characters 40–80 of 601"),
        ("Bytes", "Later bytes", "Earlier bytes", "bytes 256–512 of 600"),
    ):
        page.get_by_label("Text to tokenize").fill("unbelievable things " * 30)
        checks.settle(page)
        shown = checks.open(page, panel)
        checks.expect(
            shown.get_by_role("button", name=earlier).is_disabled(), f"windows: {panel} has something earlier"
        )
        shown.get_by_role("button", name=later).click()
        checks.settle(page)
        checks.expect(note in shown.inner_text(), f"windows: no {note} in {shown.inner_text()[-400:]}")
        shown.get_by_role("button", name=earlier).click()
        checks.settle(page)
        checks.expect(note not in shown.inner_text(), f"windows: {panel} does not go back")
    page.context.close()


def merging(checks: Checks) -> None:
    """A vocabulary of merges: its steps, its draws, and what a vocabulary without a lattice says."""
    page = checks.page(text="Hello world")
    checks.open(page, "Draws")
    checks.expect(
        "entropy, exact" in page.get_by_role("tabpanel", name="Draws").inner_text(), "merging: no exact entropy"
    )
    model = page.get_by_label("Tokenizer", exact=True)
    model.select_option("merges")
    checks.settle(page)
    said = page.get_by_role("tabpanel", name="Draws").inner_text()
    checks.expect("merge is skipped" in said and "entropy, exact" not in said, f"merging: the draws say {said[:300]}")
    steps = checks.open(page, "Steps")
    slider = steps.get_by_role("slider", name="Step")
    checks.expect(slider.get_attribute("max") == "4", "merging: not four merges")
    for number, said in enumerate(("The first symbols", "Merge 1:", "Merge 2:", "Merge 3:", "Merge 4:")):
        slider.fill(str(number))
        checks.expect(said in steps.inner_text(), f"merging: step {number} has no {said}")
    slider.fill("1")
    checks.expect(
        "lo" in steps.get_by_role("region", name="Merges that were possible").inner_text(), "merging: none lost"
    )
    made = steps.get_by_role("list", name="Symbols").first.get_by_role("listitem").all_inner_texts()
    checks.expect(made == ["He", "l", "l", "o"], f"merging: {made} after the first merge")
    page.context.close()
    page = checks.browser.new_page()
    page.goto(f"{checks.served.url}/#panel=nbest&model=words&text=Hello")
    expect(page.get_by_role("alert")).to_contain_text("lattice", timeout=_LATE)
    checks.expect(page.get_by_role("tabpanel", name="N-best").inner_text() == "", "merging: an old answer stays")
    page.get_by_role("tab", name="Steps", exact=True).click()
    expect(page.get_by_role("tabpanel", name="Steps")).to_contain_text("lookup", timeout=_LATE)
    checks.expect(page.get_by_role("alert").inner_text() == "", "merging: the message stays")
    page.close()


def keyboard(checks: Checks) -> None:
    """All of it without a pointer."""
    page = checks.page(text="Hello world again")
    page.get_by_label("Text to tokenize").focus()
    seen: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("(document.activeElement.id || document.activeElement.getAttribute('role') || '')"))
        if seen[-1] == "tab-tokens":
            break
    wanted = ["model", "specials", "around", "file"]
    checks.expect([name for name in seen if name in wanted] == wanted, f"keyboard: Tab goes over {seen}")
    for panel in [*PANELS[1:], PANELS[0]]:
        page.keyboard.press("ArrowRight")
        checks.settle(page)
        chosen = page.get_by_role("tab", selected=True).inner_text()
        checks.expect(chosen == panel, f"keyboard: {chosen} in the place of {panel}")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab") if page.evaluate("document.activeElement.getAttribute('role')") == "tabpanel" else None
    page.keyboard.press("End")
    last = page.evaluate("document.activeElement.getAttribute('aria-label')")
    checks.expect(last is not None and "again" in last, f"keyboard: End goes to {last}")
    page.keyboard.press("ArrowLeft")
    checks.expect(
        "world" in (page.evaluate("document.activeElement.getAttribute('aria-label')") or ""), "keyboard: ArrowLeft"
    )
    checks.open(page, "Lattice")
    drawing = page.get_by_role("group", name="Picture of the lattice")
    before = page.locator(".drawing svg").get_attribute("viewBox")
    drawing.press("+")
    drawing.press("ArrowRight")
    checks.expect(
        page.locator(".drawing svg").get_attribute("viewBox") != before, "keyboard: the lattice does not move"
    )
    slider = page.get_by_label("alpha")
    slider.focus()
    page.keyboard.press("ArrowRight")
    checks.settle(page)
    checks.expect("alpha=0.25" in page.url, f"keyboard: the slider is not in {page.url}")
    checks.expect(page.evaluate("document.activeElement.type") == "range", "keyboard: the slider loses the focus")
    page.context.close()


def scripts(checks: Checks) -> None:
    """Other scripts: directions, what has no shape, letters that combine."""
    for name, text in TEXTS.items():
        for width in (1280, 360):
            page = checks.page(width, text=text)
            box = page.get_by_role("listbox", name="Tokens")
            way = "rtl" if name in ("arabic", "hebrew") else "ltr"
            checks.expect(box.get_attribute("dir") == way, f"{name}: tokens run {box.get_attribute('dir')}")
            each = box.locator(".tok bdi").all_inner_texts()
            checks.expect(all(one.strip("\u200c\u200d ") for one in each), f"{name}: a token shows nothing")
            shown = "".join(each)
            checks.expect(
                not any(sign in shown for sign in "\u202e\u0007\u200b\u2028"), f"{name}: signs without shape are shown"
            )
            wide = page.evaluate("document.documentElement.scrollWidth")
            checks.expect(wide <= width, f"{name}: the page is {wide} px wide")
            checks.picture(page, f"{name}-{width}")
            for panel in ("Bytes", "Lattice", "Stages"):
                checks.open(page, panel)
            page.context.close()


def hostile(checks: Checks) -> None:
    """A vocabulary of markup stays text, in every panel."""
    page = checks.page(text=" ".join(HOSTILE))
    page.get_by_label("Tokenizer", exact=True).select_option("hostile")
    checks.settle(page)
    for panel in PANELS:
        shown = checks.open(page, panel)
        strange = shown.locator("script, img, iframe, object, embed, a, [onload], [onerror]").count()
        checks.expect(strange == 0, f"hostile, {panel}: {strange} elements of the vocabulary")
        checks.expect(page.evaluate("window.hacked === undefined"), f"hostile, {panel}: a script has run")
        checks.picture(page, f"hostile-{panel.lower()}")
    page.context.close()


def many(checks: Checks) -> None:
    """A hundred thousand tokens: few elements, and a scroll takes as long as in two thousand."""
    page = checks.page()
    few, _ = _scrolls(checks, page, 500)
    many, count = _scrolls(checks, page, 34_000)
    elements = page.locator(".tok").count()
    print(
        f"many: {count:,} tokens, {elements} elements, a scroll takes {many:.0f} ms, in 2,000 tokens {few:.0f} ms",
        flush=True,
    )
    checks.expect(count >= 100_000, f"many: only {count} tokens")
    checks.expect(elements < 5_000, f"many: {elements} elements")
    checks.expect(many < 4 * few + 50, f"many: a scroll takes {many:.0f} ms, in few tokens {few:.0f}")
    page.get_by_role("listbox", name="Tokens").locator(".tok").first.focus()
    page.keyboard.press("End")
    at = page.evaluate("document.activeElement.getAttribute('aria-posinset')")
    checks.expect(at == str(count), f"many: End goes to {at}")
    checks.expect(page.locator(".tok").count() < 8_000, "many: elements are not let go")
    page.context.close()


def _scrolls(checks: Checks, page: Page, words: int) -> tuple[float, int]:
    """Milliseconds of a usual scroll through a text of this number of words, until it is drawn; and its tokens."""
    text = "unbelievable " * words
    count = ap.load().count(text)
    fill = "(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }"
    page.get_by_label("Text to tokenize").evaluate(fill, text)
    box = page.get_by_role("listbox", name="Tokens")
    expect(box.locator(".tok").first).to_have_attribute("aria-setsize", str(count), timeout=_LATE)
    checks.settle(page)
    times = []
    for number in range(20):
        begun = time.monotonic()
        box.evaluate(f"box => {{ box.scrollTop = box.scrollHeight * {number} / 20; }}")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        times.append(1000 * (time.monotonic() - begun))
    return sorted(times)[10], count


def files(checks: Checks, folder: Path) -> None:
    """A file that is opened, one that is none, the address, and what is copied."""
    page = checks.page(text="Hello world")
    good, bad = folder / "mine.anypiece", folder / "bad.json"
    ap.load().replace(add_dummy_prefix=False).save(good)
    page.get_by_label("Open a tokenizer file").set_input_files(good)
    expect(page.locator("#opened")).to_contain_text("64,000 pieces", timeout=60_000)
    checks.expect(
        "mine" in page.get_by_label("Tokenizer", exact=True).input_value(), "files: the new one is not chosen"
    )
    checks.settle(page)
    page.get_by_role("button", name="Copy JSON").click()
    expect(page.locator("#copied")).to_have_text("Copied as JSON.")
    ids = json.loads(page.evaluate("navigator.clipboard.readText()"))["ids"]
    checks.expect(ids == ap.load(good).encode("Hello world"), f"files: {ids}")
    page.get_by_role("button", name="Copy Python").click()
    expect(page.locator("#copied")).to_have_text("Copied as Python.")
    names: dict[str, Any] = {}
    exec(page.evaluate("navigator.clipboard.readText()"), names)
    checks.expect(names["found"] == ap.load().encode_spans("Hello world"), "files: what is copied as Python")
    page.get_by_role("button", name="Copy curl").click()
    expect(page.locator("#copied")).to_have_text("Copied as curl.")
    words = shlex.split(page.evaluate("navigator.clipboard.readText()"))
    checks.expect(words[:2] == ["curl", "-s"], f"files: what is copied as curl: {words}")
    request = Request(words[2], words[words.index("-d") + 1].encode(), {"content-type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        checks.expect(json.load(answer)["ids"] == ids, "files: the line of curl has another answer")
    checks.open(page, "Lattice")
    page.get_by_role("button", name="Copy SVG").click()
    expect(page.locator("#copied")).to_have_text("Copied as SVG.")
    _standalone(checks, page.evaluate("navigator.clipboard.readText()"))
    page.reload()
    checks.settle(page)
    checks.expect(
        page.get_by_label("Text to tokenize").input_value() == "Hello world", "files: the address forgets the text"
    )
    checks.expect(
        page.get_by_role("tab", selected=True).inner_text() == "Lattice", "files: the address forgets the panel"
    )
    page.context.close()
    page = checks.browser.new_page()
    page.goto(checks.served.url)
    bad.write_text('{"model": {"type": "BPE"}}', "utf-8")
    page.get_by_label("Open a tokenizer file").set_input_files(bad)
    expect(page.get_by_role("alert")).not_to_be_empty(timeout=60_000)
    page.close()


def _standalone(checks: Checks, svg: str) -> None:
    """A copied picture looks as on the page, without the page's style sheet."""
    parts = list(ElementTree.fromstring(svg).iter())
    paths = [one for one in parts if one.tag.endswith("}path")]
    checks.expect(bool(paths), f"files: what is copied as SVG: {svg[:200]}")
    checks.expect(all(one.get("fill") == "none" and one.get("stroke") for one in paths), "files: arcs have no look")
    texts = [one for one in parts if one.tag.endswith("}text")]
    checks.expect(all(one.get("text-anchor") == "middle" and one.get("fill") for one in texts), "files: texts neither")
    (checks.pictures / "lab-copied.svg").write_text(svg, "utf-8")


def dropped(checks: Checks, folder: Path) -> None:
    """A file that is dropped on the page, and how it is shown that it may be."""
    file = folder / "dropped file.anypiece"
    ap.load().replace(add_dummy_prefix=False).save(file)
    page = checks.page(text="Hello world")
    handle = page.evaluate_handle(
        """bytes => {
            const held = new DataTransfer();
            held.items.add(new File([Uint8Array.from(atob(bytes), one => one.charCodeAt(0))], 'dropped file.anypiece'));
            return held;
        }""",
        base64.b64encode(file.read_bytes()).decode(),
    )
    place = page.locator("#drop")
    place.dispatch_event("dragover", {"dataTransfer": handle})
    checks.expect("over" in (place.get_attribute("class") or ""), "dropped: nothing says that a file may be dropped")
    place.dispatch_event("drop", {"dataTransfer": handle})
    expect(page.locator("#opened")).to_contain_text("64,000 pieces", timeout=60_000)
    checks.expect("over" not in (place.get_attribute("class") or ""), "dropped: the mark stays")
    chosen = page.get_by_label("Tokenizer", exact=True).input_value()
    checks.expect(chosen == "dropped-file.anypiece", f"dropped: {chosen} is chosen")
    checks.settle(page)
    page.context.close()


def tokenizers(folder: Path) -> dict[str, str | None]:
    """The embedded one, one that cuts elsewhere, and one of hostile pieces."""
    rows = [("<unk>", 0.0, ap.Kind.UNKNOWN), ("▁", -3.0, ap.Kind.NORMAL)]
    rows += [(piece, -4.0 - number, ap.Kind.NORMAL) for number, piece in enumerate(HOSTILE)]
    letters = sorted(set("".join(HOSTILE) + "Helo wrdunbivab") - set(HOSTILE) - {" "})
    rows += [(letter, -20.0, ap.Kind.NORMAL) for letter in letters]
    ap.Tokenizer(ap.Spec(ap.Pieces.of(rows))).save(folder / "hostile.anypiece")
    ap.load().replace(add_dummy_prefix=False).save(folder / "bare.anypiece")
    merges = {256: b"He", 257: b"Hel", 258: b"Hell", 259: b"Hello", 260: b"lo"}
    byte_pairs(merges, splitter="cl100k").save(folder / "merges.anypiece")
    words = [("[UNK]", 0.0, ap.Kind.UNKNOWN), *((piece, 0.0, ap.Kind.NORMAL) for piece in ("Hell", "##o", "world"))]
    plain = {"continuing_prefix": "##", "split_rules": ({"type": "bert"},), **PLAIN}
    ap.Tokenizer(ap.Spec(ap.Pieces.of(words), segmenter="wordpiece", **plain)).save(folder / "words.anypiece")  # type: ignore[arg-type]
    names = ("bare", "hostile", "merges", "words")
    return {"default": None, **{name: str(folder / f"{name}.anypiece") for name in names}}


def main() -> int:
    """Run all checks, and say what is wrong."""
    program = found()
    if program is None:
        print("There is no Chromium. Install it (Debian: apt-get install chromium), or run `make pages` as root.")
        return 2
    pictures = CACHE / "pages"
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, Served(tokenizers(Path(name))) as served, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        checks = Checks(browser, served, pictures)
        parts: dict[str, Callable[[], None]] = {
            "panels": lambda: panels(checks), "contents": lambda: contents(checks), "keyboard": lambda: keyboard(checks),
            "merging": lambda: merging(checks), "windows": lambda: windows(checks),
            "scripts": lambda: scripts(checks), "hostile": lambda: hostile(checks), "many": lambda: many(checks),
            "files": lambda: files(checks, Path(name)), "dropped": lambda: dropped(checks, Path(name)),
        }  # fmt: skip
        for part in sys.argv[1:] or parts:
            try:
                parts[part]()
            except (Error, AssertionError) as error:
                checks.expect(False, f"{part} stopped: {str(error)[:1500]}")
        browser.close()
    print(f"the lab: {checks.done:,} checks, {len(checks.wrong)} problems; pictures in {pictures}")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
