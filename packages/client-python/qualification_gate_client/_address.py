"""Checks the address and the key of a gate before a request is made with them."""

from __future__ import annotations

import re
from typing import Any

import httpx

# A confirm waits for its execution, and a read for the end of its action, for less than this.
TIMEOUT = httpx.Timeout(90, connect=10)


def http_options(url: str, key: str) -> dict[str, Any]:
    """
    What httpx gets. Raises ValueError, which shows neither address nor key: they may have been given in the wrong order.
    """
    if not isinstance(url, str) or not re.match("https?://[^/]", url):
        raise ValueError("url must be the address of the gate, such as https://gate.example.com.")
    # A key that is read from a file often ends with a line break.
    trimmed = key.strip() if isinstance(key, str) else ""
    if not re.fullmatch(r"[\x21-\x7e]+", trimmed):
        what = "has a character that no key has" if trimmed else "is missing"
        raise ValueError(f"key must be an API key of the gate: it {what}.")
    return {"base_url": url, "headers": {"authorization": f"Bearer {trimmed}"}, "timeout": TIMEOUT}
