"""What every answer says of itself: what the page may load, who may show it in a frame, and who may read it."""

from __future__ import annotations

CSP = ("default-src 'self'; script-src 'self' 'unsafe-eval' blob:{}; style-src 'self' 'unsafe-inline'; "
       "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; media-src 'self' blob:; "
       "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
       "frame-ancestors 'none'")  # fmt: skip
"""No picture in a reply, and no library of the page, may call out: what is remembered stays between page and server.

Gradio makes functions of text, so that can't be forbidden; its own inline scripts are named by a word that is new with
each page, so a script that got into what is shown doesn't run.
"""
OF_FORM = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "cache-control": "no-store",
}
"""Of the pages that are no more than a form: no script runs there."""
ALWAYS = (
    ("referrer-policy", "same-origin"),  # with no-referrer, browsers hide a form's own origin as well
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)
_READERS = b"access-control-"
Header = tuple[bytes, bytes]


def policy(word: str = "") -> str:
    """The page's content security policy. `word`: what its own inline scripts carry as their nonce."""
    return CSP.format(f" 'nonce-{word}'" if word else "")


def dressed(headers: list[Header]) -> list[Header]:
    """An answer's headers with ours, and without those that would let another origin read it."""
    kept = [each for each in headers if not each[0].lower().startswith(_READERS)]
    named = {each[0].lower() for each in kept}
    ours = [*ALWAYS, *(() if b"content-security-policy" in named else (("content-security-policy", policy()),))]
    return [*kept, *((name.encode(), value.encode()) for name, value in ours)]
