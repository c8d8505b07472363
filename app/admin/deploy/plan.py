"""What to rent for a wish: the machine, its container, what is pushed to it and started there."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....memory.errors import InputError, SettingsError, WrongUsage

GPUS = {
    "rtx3090": "NVIDIA GeForce RTX 3090", "a6000": "NVIDIA RTX A6000", "a100": "NVIDIA A100 80GB PCIe",
}  # fmt: skip
"""Short names, and the ids of RunPod's catalog; others are given by their id."""
SERVER = "vllm/vllm-openai:v0.9.2"
WORKPLACE = "runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404"
"""An image with an SSH server, for what has to be pushed first."""
PORT = 8000
PLACE = "/workspace"
NAME = "chatmem"
"""Under which a served adapter answers."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What `up` does: `body` is what RunPod is asked; `push` goes to the pod's workspace, `start` is then run there.
    `model`: the name under which a served model answers; `token`: what it wants to be asked with."""

    body: Mapping[str, Any]
    push: tuple[Path, ...] = ()
    start: str = ""
    model: str = ""
    token: str = field(default="", repr=False)

    @property
    def needs(self) -> int:
        """The port that must be mapped before the pod is of use."""
        return 22 if self.push else PORT

    def shown(self) -> dict[str, Any]:
        """For --dry-run: what would be asked and done, without the token."""
        env = dict.fromkeys(self.body.get("env", {}), "***")
        asked = {**self.body, "env": env} if env else dict(self.body)
        hidden = self.start.replace(self.token, "***") if self.token else self.start
        return {"create": asked, "push": [str(path) for path in self.push], "start": hidden}


def serving(spec: str, gpu: str, disk: int, volume: int) -> Plan:
    """A plan to serve `hf:REPO[+ADAPTER]` by vLLM; an adapter is a repository's name or a PEFT folder here, which is
    pushed. Raises SettingsError, InputError."""
    base, adapter = _parts(spec)
    token = secrets.token_urlsafe(24)
    folder = Path(adapter).expanduser() if adapter else None
    if folder is None or not folder.is_dir():
        args = ["--model", base, "--port", str(PORT), *_lora(adapter)]
        body = _body(gpu, disk, volume, SERVER, [f"{PORT}/http"], {"VLLM_API_KEY": token})
        return Plan({**body, "args": shlex.join(args)}, model=NAME if adapter else base, token=token)
    if not (folder / "adapter_config.json").is_file():
        raise InputError(f"{folder} is no PEFT adapter: it has no adapter_config.json.")
    body = _body(gpu, disk, volume, WORKPLACE, [f"{PORT}/http", "22/tcp"], {})
    serve = ["vllm", "serve", base, "--port", str(PORT), *_lora(f"{PLACE}/{folder.name}")]
    start = f"pip install -q vllm && VLLM_API_KEY={token} {shlex.join(serve)}"
    return Plan({**body, "startSsh": True}, (folder,), start, NAME, token)


def words_of(command: str) -> list[str]:
    """The words of `--train`. Raises WrongUsage."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise WrongUsage(f"--train {command!r} has a quote without its end; close it.") from None
    if not words:
        raise WrongUsage('--train wants what comes after `chatmem train`, as in --train "storage --steps 600".')
    return words


def training(command: str, wheel: Path, files: tuple[Path, ...], gpu: str, disk: int, volume: int) -> Plan:
    """A plan to run `chatmem train ...` on the pod: our wheel and the data files are pushed. Raises InputError."""
    words = words_of(command)
    for path in files:
        if not path.exists():
            raise InputError(f"There is no file {path} to push.")
    body = _body(gpu, disk, volume, WORKPLACE, ["22/tcp"], {})
    install = f"pip install -q {shlex.quote(f'{PLACE}/{wheel.name}[train]')}"
    start = f"cd {PLACE} && {install} && chatmem train {shlex.join(words)}"
    return Plan({**body, "startSsh": True}, (wheel, *files), start)


def _parts(spec: str) -> tuple[str, str | None]:
    """(model, adapter) of a spec that vLLM can serve. Raises SettingsError."""
    name, found, adapter = spec.removeprefix("hf:").partition("+")
    if not spec.startswith("hf:") or not name or (found and not adapter):
        raise SettingsError(
            f"--serve takes hf:REPO or hf:REPO+ADAPTER, not {spec}: vLLM serves models of the Hugging Face hub."
        )
    return name, adapter if found else None


def _lora(adapter: str | None) -> list[str]:
    return ["--enable-lora", "--max-lora-rank", "64", "--lora-modules", f"{NAME}={adapter}"] if adapter else []


def _body(gpu: str, disk: int, volume: int, image: str, ports: list[str], env: dict[str, str]) -> dict[str, Any]:
    """A `CreatePodRequest`; its name is one of a kind, so that a pod can be found whose answer was lost."""
    body: dict[str, Any] = {
        "name": f"chatmem-{secrets.token_hex(4)}", "image": image,
        "gpu": {"id": GPUS.get(gpu.lower(), gpu), "count": 1},
        "cloud": "SECURE", "disk": disk, "ports": ports,
    }  # fmt: skip
    if env:
        body["env"] = env
    if volume:
        body["mounts"] = {"persistent": {"size": volume, "path": PLACE}}
    return body
