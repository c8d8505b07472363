"""The settings: each is one documented field here; the docs and the command-line flags are made from these fields.

Precedence: flag > environment (`CHATMEM_<NAME>`) > config file > default. Unknown keys are errors.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from ...memory.errors import SettingsError
from .paths import Paths

LANGUAGES = (
    "auto", "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hr", "hu", "it", "ja", "ko", "nl", "pl", "pt",
    "ro", "ru", "sv", "th", "tr", "uk", "zh",
)  # fmt: skip
OTHER_VARIABLES = ("CHATMEM_CONFIG", "CHATMEM_HOME", "CHATMEM_PASSPHRASE")
"""Of the environment, and no settings."""
PREFIX = "CHATMEM_"
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def _setting(
    default: Any, help: str, *, least: int | None = None, most: int | None = None, choices: tuple[str, ...] = (),
    filled: bool = False,
) -> Any:  # fmt: skip
    told = {"help": help, "choices": choices, "least": least, "most": most, "filled": filled}
    return field(default=default, metadata=told)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of chatmem. A role's empty model means: `model`, with the adapter that ships for the role."""

    db: str = _setting("", "the database: a file's path, or sqlite:///PATH; empty: chatmem.db in the data folder")
    user: str = _setting("me", "whose memory it is, when no --user is given", filled=True)
    model: str = _setting("embedded", "the model of all roles: embedded, gguf:PATH, hf:NAME, openai:NAME", filled=True)
    answer_model: str = _setting("", "the model that talks; empty: as `model`, with the answer adapter")
    storage_model: str = _setting("", "the model that writes memories; empty: as `model`, with the storage adapter")
    retrieval_model: str = _setting("", "the model that looks up; empty: as `model`, with the retrieval adapter")
    editor_model: str = _setting("", "the model that tidies; empty: as `model`, with the editor adapter")
    prompts: str = _setting(
        "",
        "a file of prompts that `chatmem optimize` tuned, for models without an adapter; empty: the hand-written ones",
    )
    tidy_at_bye: int = _setting(0, "most changes by which the editor tidies when you say bye; 0: none", least=0)
    tidy_share: int = _setting(
        60, "most rows that one run of the editor may touch, in percent of all", least=1, most=100
    )
    embedder: str = _setting(
        "embedded",
        "what makes vectors of lines and questions: embedded, gguf:PATH, hf:NAME, openai:NAME (sends it all there)",
        filled=True,
    )
    embedder_query_prefix: str = _setting(
        "", "what the encoder wants before a question; empty: what its model says, none: nothing"
    )
    embedder_passage_prefix: str = _setting(
        "", "what it wants before what is stored; empty: what its model says, none: nothing"
    )
    language: str = _setting(
        "auto", "the language of your lines, as en or de; auto: told line by line", choices=LANGUAGES
    )
    token_budget: int = _setting(20_000, "most tokens of one prompt, never above the model's window", least=256)
    hops: bool = _setting(False, "look a question up in several steps (`chat --think hops`), each told as it is done")
    recall_words: int = _setting(-1, "most words of memory in one prompt; -1: as fits the model", least=0)
    recent_turns: int = _setting(
        -1, "how many of the latest turns the chatbot sees; -1: as fits the model (embedded: 6, others: all)", least=0
    )
    line_chars: int = _setting(8_000, "most characters of a message that is read for facts; all is stored", least=200)
    reply_tokens: int = _setting(-1, "most tokens of a reply; -1: as fits the model (embedded: 160)", least=1)
    temperature: float = _setting(-1.0, "how freely replies are worded, 0 to 2; -1: as fits the model", least=0, most=2)
    top_p: float = _setting(
        -1.0, "the share of likely words that replies choose from, to 1; -1: as the model", least=0, most=1
    )
    persona: str = _setting(
        "", "who the chatbot is to be, as `You are a terse pirate.`; for models that read instructions"
    )
    show_thinking: bool = _setting(False, "show what a model thinks before it replies (/thinking shows the last)")
    window: int = _setting(-1, "tokens that a model reads and writes at once; -1: as it says itself", least=1)
    profile: str = _setting(
        "", "more of what `models check` shows of models that aren't embedded: capable=true, structured=none"
    )
    threads: int = _setting(
        -1, "threads that a model on this machine computes with; -1: as many as cores are free", least=1
    )
    busy_seconds: int = _setting(10, "how long to wait while another process writes the database", least=0)
    answer_key_env: str = _setting(
        "",
        "the variable that holds the key of answer_model; empty: OPENAI_API_KEY (for OPENAI_BASE_URL or OpenAI)",
    )
    storage_key_env: str = _setting(
        "",
        "the variable that holds the key of storage_model; empty: OPENAI_API_KEY (for OPENAI_BASE_URL or OpenAI)",
    )
    retrieval_key_env: str = _setting(
        "",
        "the variable that holds the key of retrieval_model; empty: OPENAI_API_KEY (for OPENAI_BASE_URL or OpenAI)",
    )
    editor_key_env: str = _setting(
        "",
        "the variable that holds the key of editor_model; empty: OPENAI_API_KEY (for OPENAI_BASE_URL or OpenAI)",
    )
    endpoint_headers: str = _setting(
        "", "headers for endpoints, as `X-Title: chatmem; X-Key: $VARIABLE`; $: out of the environment"
    )
    endpoint_seconds: int = _setting(
        120, "most seconds that an endpoint may take for one reply, with every attempt; then it is an error", least=1
    )
    history: bool = _setting(True, "keep the lines typed at the prompt for the arrow keys (never in incognito)")
    encrypt: bool = _setting(
        False, "keep the memory encrypted; one that is there is encrypted at the next start (`chatmem encrypt`)"
    )
    lock_minutes: int = _setting(
        15, "lock an encrypted memory after so many idle minutes (tui, web); 0: never", least=0
    )
    reports: str = _setting("", "the folder of reports that the page shows; empty: reports in the data folder")
    color: str = _setting("auto", "colours on a terminal", choices=("auto", "always", "never"))
    theme: str = _setting("textual-dark", "colours of `chatmem tui`; its palette (Ctrl+P) shows all themes")
    compact: bool = _setting(False, "`chatmem tui` with fewer empty lines")
    keymap: str = _setting("", "other keys for `chatmem tui`, by the names that F1 lists: new=ctrl+e, why=f7")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, for docs and flags."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    filled: bool = False
    """It can't be empty."""

    @property
    def env(self) -> str:
        return f"{PREFIX}{self.name.upper()}"

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


def describe() -> list[Setting]:
    """Every setting in the order of the class."""
    return [Setting(f.name, type(f.default), f.default, **f.metadata) for f in fields(Settings)]


def load(paths: Paths, environ: Mapping[str, str], flags: Mapping[str, Any], config: str | None = None) -> Settings:
    """The settings in force. `flags` holds what the command line gave (None: not given).

    Raises SettingsError for a config file that can't be read, an unknown key or a value of the wrong kind.
    """
    return _loaded(paths, environ, flags, config, _raise)


def load_what_is_right(
    paths: Paths, environ: Mapping[str, str], flags: Mapping[str, Any], config: str | None = None
) -> tuple[Settings, tuple[str, ...]]:
    """As `load`, but what is wrong is left out, and told in sentences: for commands that help to mend it."""
    faults: list[str] = []
    settings = _loaded(paths, environ, flags, config, lambda error: faults.append(str(error)))
    return settings, tuple(faults)


def _raise(error: SettingsError) -> None:
    raise error


def _loaded(
    paths: Paths, environ: Mapping[str, str], flags: Mapping[str, Any], config: str | None,
    wrong: Callable[[SettingsError], None],
) -> Settings:  # fmt: skip
    """The settings of all sources, the later ones before the earlier; `wrong` is told what can't be taken."""
    known = {setting.name: setting for setting in describe()}
    values: dict[str, Any] = {}
    readers: list[Callable[[], Mapping[str, Callable[[], Any]]]] = [
        lambda: _from_file(known, paths, environ, config),
        lambda: {name: partial(_from_text, one, environ[one.env], one.env)
                 for name, one in known.items() if one.env in environ},
        lambda: {name: partial(_checked, known[name], value, known[name].flag)
                 for name, value in flags.items() if name in known and value is not None},
    ]  # fmt: skip
    for reader in readers:
        try:
            told = reader()
        except SettingsError as error:
            wrong(error)
            continue
        for name, read in told.items():
            try:
                values[name] = read()
            except SettingsError as error:
                wrong(error)
    return Settings(**values)


def _config_file(paths: Paths, environ: Mapping[str, str], config: str | None) -> Path | None:
    path = config_place(paths, environ, config)
    if path.is_dir():
        raise SettingsError(f"{path} is a folder and no config file; name a file in it, or take the folder away.")
    if not path.is_file():
        if path == paths.config_file:
            return None
        raise SettingsError(f"There is no config file at {path}; make it, or leave --config and CHATMEM_CONFIG out.")
    return path


def config_place(paths: Paths, environ: Mapping[str, str], config: str | None = None) -> Path:
    """Where the config file is, or would be."""
    named = config or environ.get("CHATMEM_CONFIG")
    return Path(named).expanduser() if named else paths.config_file


def _from_file(
    known: Mapping[str, Setting], paths: Paths, environ: Mapping[str, str], config: str | None
) -> dict[str, Callable[[], Any]]:
    path = _config_file(paths, environ, config)
    if path is None:
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors put a mark before the first key
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML ({error}); mend that line or remove it.") from error
    except OSError as error:
        raise SettingsError(f"{path} can't be read ({error.strerror}); check its permissions.") from error
    return {key: partial(_from_line, known, key, value, path) for key, value in table.items()}


def _from_line(known: Mapping[str, Setting], key: str, value: Any, path: Path) -> Any:
    if key not in known:
        near = nearest(key, known)
        raise SettingsError(f"{path} has an unknown key {key!r}{near}; `chatmem doctor --settings` lists all keys.")
    return _checked(known[key], value, f"{key} in {path}")


def nearest(word: str, known: Mapping[str, Any] | list[str]) -> str:
    """`; did you mean 'x'?` for the known name nearest to `word`, or nothing when none is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


def strange_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables named as settings are that mean nothing, each with what may be meant."""
    known = {one.removeprefix(PREFIX): one for one in (*(each.env for each in describe()), *OTHER_VARIABLES)}
    found: dict[str, str] = {}
    for name in sorted(one for one in environ if one.startswith(PREFIX) and one not in known.values()):
        near = difflib.get_close_matches(name.removeprefix(PREFIX), list(known), n=1, cutoff=0.5)
        found[name] = f"did you mean {known[near[0]]}?" if near else "`chatmem doctor --settings` lists the names."
    return found


def _from_text(setting: Setting, text: str, source: str) -> Any:
    if setting.type is bool:
        if text.lower() in TRUE + FALSE:
            return text.lower() in TRUE
        raise SettingsError(f"{source} is {text!r}; write true or false.")
    if setting.type in (int, float):
        try:
            return _checked(setting, setting.type(text), source)
        except ValueError:
            raise SettingsError(f"{source} is {text!r}; write a {'whole ' * (setting.type is int)}number.") from None
    return _checked(setting, text, source)


def _checked(setting: Setting, value: Any, source: str) -> Any:
    value = float(value) if setting.type is float and type(value) is int else value
    if type(value) is not setting.type:
        kind = {str: "a text in quotes", int: "a whole number", float: "a number", bool: "true or false"}[setting.type]
        raise SettingsError(f"{source} is {value!r}; write {kind}.")
    if setting.filled and not str(value).strip():
        raise SettingsError(f"{source} is empty; write it, or leave it out.")
    if setting.choices and value not in setting.choices:
        raise SettingsError(f"{source} is {value!r}; write one of {', '.join(setting.choices)}.")
    if isinstance(value, int | float) and not _within(setting, value):
        raise SettingsError(f"{source} is {value}; write {_range(setting)}.")
    return value


def _within(setting: Setting, value: float) -> bool:
    """Whether a number is between the least and the most; where -1 is the default, it is a choice of its own."""
    least, most = setting.least, setting.most
    if least is not None and not (value >= least or value == setting.default == -1):
        return False
    return most is None or value <= most


def _range(setting: Setting) -> str:
    least, own = setting.least, ", or -1" if setting.default == -1 else ""
    return f"{least} or more{own}" if setting.most is None else f"{least} to {setting.most}{own}"
