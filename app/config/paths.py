"""Where things live: settings in the platform's config dir, memory in its data dir, logs in its state dir."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

APP = "chatmem"


@dataclass(frozen=True, slots=True)
class Paths:
    """Files and folders of one person on one machine. Nothing is made until something is written there."""

    config: Path
    data: Path
    state: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def database(self) -> Path:
        return self.data / "chatmem.db"

    @property
    def models(self) -> Path:
        """Model files fetched with `chatmem models pull`."""
        return self.data / "models"

    @property
    def adapters(self) -> Path:
        """The person's own adapters, looked at beside those that chatmem ships."""
        return self.data / "adapters"

    @property
    def log(self) -> Path:
        return self.state / "chatmem.log"

    @property
    def history(self) -> Path:
        """The folder of the lines typed at the prompt, one file a user."""
        return self.state / "history"

    def as_dict(self) -> dict[str, str]:
        named = {name: str(path) for name, path in asdict(self).items()}
        for name in ("config_file", "database", "models", "adapters", "log", "history"):
            named[name] = str(getattr(self, name))
        return named


def find_paths(environ: Mapping[str, str]) -> Paths:
    """The platform's folders; `CHATMEM_HOME` puts all three below one folder (tests, sticks, containers)."""
    home = environ.get("CHATMEM_HOME")
    if home:
        root = Path(home).expanduser()
        return Paths(root / "config", root / "data", root / "state")
    dirs = platformdirs.PlatformDirs(APP, appauthor=False)
    return Paths(dirs.user_config_path, dirs.user_data_path, dirs.user_state_path)
