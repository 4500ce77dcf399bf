#!/usr/bin/env python3
"""The page of `gantry profile --html` in a browser: page_test.py BUILD PROGRAM_FOLDER."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

BUILD, FOLDER = sys.argv[1:3]
SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
SLICES = 250_000  # of the large page; bench/page.py measures larger ones


def line_with(name, words):
    lines = (SOURCES / name).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="gantry-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = browser.open_browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.wasted = cls.profile("wastes-clang22", "round_trip")
        cls.mended = cls.profile("mended-clang22", "round_trip")

    @classmethod
    def gantry(cls, *arguments, cwd=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GANTRY_"))}
        environment |= {"GANTRY_DEVICES": "cpu+separate", "OMP_TARGET_OFFLOAD": "MANDATORY"}
        return subprocess.run([f"{BUILD}/bin/gantry", "profile", *map(str, arguments)], env=environment, check=False,
                              capture_output=True, text=True, timeout=240, cwd=cwd)

    @classmethod
    def profile(cls, program, *arguments):
        page = cls.folder / f"{program}-{'-'.join(arguments)}.html"
        done = cls.gantry("--data", "--html", page, f"{FOLDER}/{program}", *arguments)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return page

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def table(self, title):
        """The texts of a table's rows."""
        for section in self.all("section"):
            if section.find_element("css selector", "h2").text.startswith(title):
                return [[cell.text for cell in row.find_elements("css selector", "td")]
                        for row in section.find_elements("css selector", "tbody tr")]
        raise AssertionError(f"there is no table '{title}'")

    def heads(self, title):
        section = next(section for section in self.all("section")
                       if section.find_element("css selector", "h2").text.startswith(title))
        return section.find_elements("css selector", "th")

    def next_frame(self):
        self.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def colour_at(self, slice_text, timeline=0):
        """The colour that the canvas has in the middle of the first slice with that text."""
        return self.run_script("""
            const [text, number] = arguments;
            const t = page.timelines[number];
            for (const {row, timeline, y} of t.rows) {
              const i = row.label.findIndex(label => timeline.labels[label].text === text);
              if (i < 0) continue;
              const x = t.left + ((row.begin[i] + row.end[i]) / 2 - t.from) * t.scale;
              const ratio = t.canvas.width / t.width;
              return Array.from(t.context.getImageData(x * ratio, (y + 2) * ratio, 1, 1).data);
            }
            throw new Error('no slice ' + text);""", slice_text, timeline)

    def test_fetches_nothing(self):
        browser.load(self.browser, self.wasted)
        self.assertEqual(self.run_script("return performance.getEntriesByType('resource').length"), 0)
        self.assertNotRegex(self.wasted.read_text(), r"(src|href)=|https?:|import\(|fetch\(|XMLHttp")

    def test_has_what_the_report_has(self):
        browser.load(self.browser, self.wasted)
        line = line_with("round_trip.h", "waste:")
        advice, = self.all(".advice")
        self.assertIn(f"round_trip.h:{line} 'x", advice.text)
        self.assertIn("map(release: x", advice.text)
        self.assertEqual(len(self.table("Regions")), 3)
        variables = {(row[0], row[1]) for row in self.table("Copies")}
        self.assertEqual(variables, {("x", "to device"), ("x", "from device"), ("y", "from device")})
        self.assertIn("device 0 (cpu)", self.table("Devices")[0][0])

    def test_sorts_by_a_click_on_a_column(self):
        browser.load(self.browser, self.wasted)
        names = [head.text for head in self.heads("Copies")]
        column = names.index("variable")
        for order in (sorted, lambda texts: sorted(texts, reverse=True)):
            self.heads("Copies")[column].find_element("css selector", "button").click()
            texts = [row[column] for row in self.table("Copies")]
            self.assertEqual(texts, order(texts))
        self.assertEqual(self.heads("Copies")[column].get_attribute("aria-sort"), "descending")

    def test_filters(self):
        browser.load(self.browser, self.wasted)
        field, = self.all("input[type=search]")
        field.send_keys("To Device")
        self.assertEqual([row[0] for row in self.table("Copies")], ["x"])
        self.assertEqual(self.all(".advice"), [])
        field.clear()
        field.send_keys("no such thing")
        self.assertEqual(self.table("Regions"), [])

    def test_a_place_leads_to_the_tables_the_source_and_the_timeline(self):
        browser.load(self.browser, self.wasted)
        line = line_with("round_trip.h", "waste:")
        self.all(".advice .link")[0].click()
        marked = self.all("tr.marked")
        self.assertEqual(len(marked), 2, "the construct and its copy")
        self.assertTrue(all(f"round_trip.h:{line}" in row.text for row in marked))
        source, = self.all(".source .marked")
        self.assertRegex(source.get_attribute("textContent"), rf"{line}.*waste:")
        self.assertEqual(self.run_script("""
            const t = page.timelines[0];
            const seen = t.rows.flatMap(({row, timeline}) => Array.from(row.label, (label, i) =>
                row.begin[i] >= t.from && row.end[i] <= t.to ? timeline.labels[label].position : ''));
            return seen.some(position => position === page.selected) && t.to - t.from < t.length;"""), True)
        # From the source back.
        self.browser.find_element("css selector", ".source .used:not(.marked)").click()
        self.assertNotIn(f"round_trip.h:{line}", self.all("tr.marked")[0].text)

    def test_zooms_moves_and_tells_what_a_slice_is(self):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
        browser.load(self.browser, self.wasted)
        canvas, = self.all("canvas")
        span = "return page.timelines[0].to - page.timelines[0].from"
        whole = self.run_script(span)
        for _ in range(5):
            ActionChains(self.browser).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -400).perform()
        self.assertLess(self.run_script(span), whole / 8)
        begin = self.run_script("return page.timelines[0].from")
        ActionChains(self.browser).move_to_element(canvas).click_and_hold().move_by_offset(-100, 0).release().perform()
        self.assertGreater(self.run_script("return page.timelines[0].from"), begin)
        self.run_script("page.timelines[0].zoom(0, 1)")
        self.assertEqual(self.run_script(span), 50, "ns, at most zoom")
        self.all(".view")[0].send_keys("0")
        self.assertEqual(self.run_script(span), whole)
        # A click on the copy: what it is, and its construct.
        x, y = self.run_script("""
            const t = page.timelines[0];
            for (const {row, timeline, y} of t.rows) {
              const i = row.label.findIndex(label => timeline.labels[label].text === 'x to device');
              if (i >= 0) {
                const x = t.left + ((row.begin[i] + row.end[i]) / 2 - t.from) * t.scale;
                return [Math.round(x - t.width / 2), Math.round(y + 8 - t.shown / 2)];
              }
            }""")
        ActionChains(self.browser).move_to_element_with_offset(canvas, x, y).click().perform()
        detail = self.all(".detail")[0].text
        self.assertRegex(detail, r"^x to device .*524 kB, \S+ GB/s, map\(to\) round_trip.h:\d+")
        self.assertRegex(detail, r"\nround_trip.h:\d+ target data in round_trip::run ")
        self.assertTrue(self.all(".tip")[0].is_displayed())

    def test_has_the_source_that_was_compiled_wherever_it_runs(self):
        compiled, elsewhere = self.folder / "compiled", self.folder / "elsewhere"
        for folder, text in (compiled, "the right one"), (elsewhere, "a wrong one"):
            folder.mkdir()
            (folder / "here.cpp").write_text(
                f"// {text}\nint main() {{\n  int x = 0;\n#pragma omp target map(tofrom : x)\n  ++x;\n  return x - 1;\n}}\n")
        subprocess.run([f"{BUILD}/bin/gantry", "clang++", "-g", "here.cpp", "-o", "here"], cwd=compiled, check=True)
        page = self.folder / "here.html"
        done = self.gantry("--html", page, compiled / "here", cwd=elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        browser.load(self.browser, page)
        self.assertIn("the right one", self.all(".source")[0].get_attribute("textContent"))

    def test_is_worked_by_the_keyboard(self):
        from selenium.webdriver.common.keys import Keys
        browser.load(self.browser, self.wasted)
        self.all(".advice .link")[0].send_keys(Keys.ENTER)
        self.assertTrue(self.all(".advice.marked"))
        self.assertEqual(self.run_script("return document.activeElement.className"), "link", "the focus stays")
        self.all(".source .used")[0].send_keys(Keys.ENTER)
        self.assertTrue(self.all(".source .marked"))
        view = self.all(".view")[0]
        view.send_keys("n")
        first = self.all(".detail")[0].text
        view.send_keys("n")
        self.assertNotEqual(self.all(".detail")[0].text, first)
        view.send_keys("p")
        self.assertEqual(self.all(".detail")[0].text, first)

    def test_has_several_processes_apart(self):
        page = self.folder / "several.html"
        script = f"{FOLDER}/wastes-clang22 round_trip; {FOLDER}/wastes-clang22 unchanged_back"
        done = self.gantry("--html", page, "sh", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        browser.load(self.browser, page)
        self.assertEqual(self.heads("Regions")[0].text, "process")
        self.assertEqual(len({row[0] for row in self.table("Regions")}), 2)

    def test_draws_slices_in_their_colours_and_fades_what_is_not_selected(self):
        browser.load(self.browser, self.wasted)
        colours = self.run_script("""
            const t = page.timelines[0];
            t.zoomTo({place: t.rows.find(({timeline, row}) => timeline.labels[row.label[0]].kind === 'to'), i: 0});
            return t.colours;""")
        self.next_frame()
        drawn = self.colour_at("x to device")
        self.assertEqual(f"rgb({drawn[0]}, {drawn[1]}, {drawn[2]})", colours["to"])
        self.run_script("page.selected = 'elsewhere.cpp:1'; page.refresh()")
        self.next_frame()
        faded = self.colour_at("x to device")
        self.assertGreater(min(faded[:3]), min(drawn[:3]))

    def test_compares_two_runs(self):
        page = self.folder / "both.html"
        done = self.gantry("--html", page, "--compare", self.wasted, self.mended)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        browser.load(self.browser, page)
        self.assertEqual([head.text for head in self.heads("Copies")][4:7], ["bytes before", "bytes after", "ratio"])
        self.assertIn(["gone"], [[cell for cell in row if cell == "gone"] for row in self.table("Copies")])
        self.assertEqual(len(self.all(".advice.gone")), 1)
        self.assertEqual(len(self.all("canvas")), 2)
        # The comparison in text takes pages as well.
        done = self.gantry("--compare", self.wasted, self.mended)
        self.assertRegex(done.stdout, r"(?s)TOTALS before.*COPIES before.*gone")

    def test_takes_names_for_text(self):
        """Names are the program's, who may be anybody."""
        self.gantry("--json", "-o", self.folder / "evil.json", f"{FOLDER}/wastes-clang22", "round_trip")
        report = json.loads((self.folder / "evil.json").read_text())
        evil = "</script><script>window.taken = 1</script><img src=x onerror='window.taken = 1'>"
        process = report["processes"][0]
        process["program"] = process["ending"] = evil
        for table in ("regions", "copies", "advice", "devices"):
            for row in process[table]:
                for key, value in row.items():
                    if isinstance(value, str):
                        row[key] = evil
        (self.folder / "evil.json").write_text(json.dumps(report))
        page = self.folder / "evil.html"
        done = self.gantry("--html", page, "--compare", self.folder / "evil.json", self.folder / "evil.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        browser.load(self.browser, page)
        self.assertIsNone(self.run_script("return window.taken"))
        self.assertEqual(self.all("img"), [])
        self.assertIn(evil, self.all("h1")[0].text + self.all("h1 + p")[0].text)

    def test_damaged_pages_say_so(self):
        whole = self.wasted.read_text()
        begin = whole.index('class="timeline">') + len('class="timeline">')
        page = self.folder / "damaged.html"
        page.write_text(whole[:begin] + "////" * 200 + whole[whole.index("</script>", begin):])
        self.browser.get(page.as_uri())
        self.assertIn("This page is damaged", self.all("body")[0].text)
        for damaged in (whole[:begin] + "<!--" + whole[begin:], whole[:whole.index("processes")], "<html>", ""):
            page.write_text(damaged)
            done = self.gantry("--html", self.folder / "none.html", "--compare", page, page)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^gantry: error: '.*damaged.html' is (neither|a damaged page)")

    def test_draws_many_slices_in_few_steps(self):
        page = self.profile("many_events-clang22", str(SLICES // 17))
        browser.load(self.browser, page)
        self.assertGreater(self.run_script("return page.timelines[0].rows.reduce((sum, {row}) => sum + row.count, 0)"),
                           SLICES)
        # Whatever is in view, no more rectangles are filled than there are columns of pixels in its rows.
        for part in (1, 1e-2, 1e-4, 1e-6):
            filled, rows, width = self.run_script("""
                const t = page.timelines[0];
                const middle = t.length * 0.37;
                t.from = middle - t.length * arguments[0] / 2;
                t.to = middle + t.length * arguments[0] / 2;
                let filled = 0;
                const fill = t.context.fillRect;
                t.context.fillRect = (...box) => { ++filled; fill.apply(t.context, box); };
                t.draw();
                t.context.fillRect = fill;
                return [filled, t.rows.length, t.width];""", part)
            self.assertLess(filled, rows * width + 100)
            self.assertGreater(filled, 10)


if __name__ == "__main__":
    reason = browser.missing()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
