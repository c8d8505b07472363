"""Everything chatmem raises on purpose.

ChatmemError
├── SettingsError         a setting, option or config key is wrong                       (exit 2)
├── InputError            the user's input can't be used as it is                        (exit 1)
│   └── WrongUsage        a command was given too little or too much to go by            (exit 2)
├── NotFound              no such user, session, memory, write, file                     (exit 1)
├── StoreError            the database can't be used
│   ├── StoreLocked       another process holds it longer than the timeout
│   ├── StoreReadOnly     it can't be written
│   ├── StoreCorrupt      the file is not a database or is damaged
│   ├── StoreForeign      a SQLite database of another program
│   ├── StoreSealed       encrypted, and nothing that opens it was given                (exit 2)
│   ├── StoreTooNew       made by a newer chatmem
│   └── StoreFull         the disk is full
├── Refused               the guard refused a statement; `.reason` says why
└── ModelError            a model can't be used
    ├── ModelNotFound     no such file, package or name
    ├── ModelNotReady     it is still being loaded
    ├── ModelBroken       the file isn't a model, or needs more memory than there is
    ├── PromptTooLong     the prompt doesn't fit the model's context
    └── EndpointError     an endpoint failed; never holds the key
        └── ReplyBroken   it failed in the middle of a reply; what came of it stands

Every message is one sentence that says what to do. Where that is a command of the command line, it is a `hint`, which
only a command line adds: on a page, in a chat or in Python there is nowhere to type it.
"""


class ChatmemError(Exception):
    """Root of all errors that chatmem raises on purpose; `exit_code` is the process's when it ends on it."""

    exit_code = 1

    def __init__(self, told: str = "", hint: str = "") -> None:
        super().__init__(f"{told}." if hint else told)
        self.at_a_terminal = f"{told}: {hint}." if hint else told


class SettingsError(ChatmemError):
    exit_code = 2


class InputError(ChatmemError):
    pass


class WrongUsage(InputError):
    exit_code = 2


class NotFound(ChatmemError):
    pass


class StoreError(ChatmemError):
    pass


class StoreLocked(StoreError):
    pass


class StoreReadOnly(StoreError):
    pass


class StoreCorrupt(StoreError):
    pass


class StoreForeign(StoreError):
    pass


class StoreSealed(StoreError):
    exit_code = 2


class StoreTooNew(StoreError):
    pass


class StoreFull(StoreError):
    pass


class Refused(ChatmemError):
    """The guard refused a statement; `reason` says why, for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"refused: {reason}")
        self.reason = reason


class ModelError(ChatmemError):
    pass


class ModelNotFound(ModelError):
    pass


class ModelNotReady(ModelError):
    pass


class ModelBroken(ModelError):
    pass


class PromptTooLong(ModelError):
    pass


class EndpointError(ModelError):
    pass


class ReplyBroken(EndpointError):
    """A reply ended in the middle: what came of it stands, and the rest may be asked for."""
