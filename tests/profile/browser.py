"""Chromium of Debian's packages, without a screen, driven by Debian's python3-selenium."""
import os
import pathlib


def missing():
    """What is not installed, as a sentence; empty if nothing is."""
    if not os.path.exists("/usr/bin/chromium") or not os.path.exists("/usr/bin/chromedriver"):
        return "Debian's packages chromium and chromium-driver are not installed"
    try:
        import selenium  # noqa: F401, PLC0415
    except ImportError:
        return "Debian's package python3-selenium is not installed"
    return ""


def open_browser(width=1280, height=1500):
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    # Without the sandbox: root, whom containers run tests as, has none.
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def load(browser, page):
    """Opens a file; it has to be a whole page in which nothing fails."""
    browser.get(pathlib.Path(page).resolve().as_uri())
    said = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    ready = browser.execute_script("return document.body.dataset.ready")
    if ready is None or said:
        raise AssertionError(f"{page}: {browser.find_element('tag name', 'body').text[:2000]}\n{said}")
    return int(ready)
