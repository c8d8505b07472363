"""Renting: asks, waits until the pod can be used, pushes and starts; whatever goes wrong, the bill is spoken of."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ....memory.errors import EndpointError, InputError
from .api import Pod, RunPod
from .plan import PLACE, Plan

LOG = f"{PLACE}/chatmem.log"
_SSH = ("-o", "StrictHostKeyChecking=accept-new", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20")


@dataclass(frozen=True, slots=True)
class Patience:
    """How a pod is waited for: seconds between two looks, and in all."""

    poll: float = 10.0
    limit: float = 300.0
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def wait(api: RunPod, pod: Pod, needs: int, patience: Patience) -> Pod:
    """The pod when it runs with its ports. Raises EndpointError when it fails or the time is over."""
    begun = patience.clock()
    while True:
        if pod.status in ("ERROR", "EXITED", "TERMINATED"):
            raise EndpointError(
                f"The pod {pod.id} is {pod.status}; `chatmem deploy runpod logs {pod.id}` may tell why."
            )
        if pod.status == "RUNNING" and _reachable(pod, needs):
            return pod
        passed = patience.clock() - begun
        if passed >= patience.limit:
            raise EndpointError(f"The pod {pod.id} is still {pod.status} after {passed:.0f} seconds.")
        print(f"{pod.id}: {pod.status}, {passed:.0f} s", file=sys.stderr, flush=True)
        patience.pause(patience.poll)
        pod = api.pod(pod.id)


def _reachable(pod: Pod, needs: int) -> bool:
    """Ports of type http go through RunPod's proxy, which needs no mapping; SSH does."""
    return pod.ssh_at is not None if needs == 22 else f"{needs}/http" in pod.ports or needs in pod.mapped


def push(pod: Pod, plan: Plan) -> None:
    """Copies the plan's files to the pod and starts its command there, which goes on when the connection ends.

    Raises InputError without ssh and scp here, EndpointError when they fail.
    """
    if pod.ssh_at is None:
        raise EndpointError(
            f"The pod {pod.id} has no SSH port; end it with `chatmem deploy runpod terminate {pod.id}`."
        )
    host, port, user = pod.ssh_at
    there = f"{user}@{host}"
    for path in plan.push:
        print(f"pushing {path} ...", file=sys.stderr, flush=True)
        folder = ("-r",) if Path(path).is_dir() else ()
        _run("scp", *_SSH, "-P", str(port), *folder, str(path), f"{there}:{PLACE}/")
    # what is started may hold a token: it goes over standard input, where no list of processes shows it
    script = f"nohup bash -c {shlex.quote(plan.start)} > {LOG} 2>&1 < /dev/null &\n"
    _run("ssh", *_SSH, "-p", str(port), there, "bash -s", text=script)


def _run(*command: str, text: str = "") -> None:
    try:
        done = subprocess.run(command, input=text, text=True, capture_output=True, check=False, timeout=600)
    except FileNotFoundError as error:
        raise InputError(f"{command[0]} isn't installed here; install OpenSSH and try again.") from error
    except subprocess.TimeoutExpired as error:
        raise EndpointError(f"{command[0]} did not end within ten minutes; try again.") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1][:200]
        raise EndpointError(f"{command[0]} failed ({last}); is your SSH key registered in RunPod's console?")
