"""`chatmem train editor --episodes`: GRPO or DAPO over whole episodes, in which the model itself calls the six tools.

TRL makes an environment per rollout (`env.py`), lets the model call its tools in turns, and asks it for the
reward. That needs a chat template that knows tools; the embedded base, whose own does not, gets that of Qwen2.5, which
is written in the same marks. Every `--eval-every` steps episodes of memories held back are played, not learned from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...memory.errors import SettingsError
from ..loop.loop import RunConfig
from ..methods.grpo import Grpo, GrpoConfig, Tell, settings
from .env import environment, episodes
from .reward import EditorTask

TURNS = 15
"""Most turns of the model in an episode."""
MARK = "<|im_start|>"


class EpisodeGrpo(Grpo):
    """A run over whole episodes; the rows are only asked which memories are for training and which are held back."""

    def __init__(self, config: RunConfig, task: EditorTask, how: GrpoConfig) -> None:
        how = replace(how, max_tokens=config.max_length, resample=0, overlong=0)  # its reward is the tools'
        super().__init__(config, task, how, self._played if config.eval_every else None)
        self.editor = task
        teach_tools(self.tokenizer, config.base)
        self.objective = f"{how.variant.upper()} over whole episodes with the six tools"

    def asked(self, on_cpu: bool) -> dict[str, Any]:
        """Episodes in place of prompts; the environments hold the reward."""
        from datasets import Dataset

        held = {row["case"]["memory"] for row in self.valid if "case" in row}
        rows = episodes(self.editor)
        train = [row for row in rows if row["memory"] not in held]
        valid = [row for row in rows if row["memory"] in held][: self.how.groups * 4]
        more = {"max_tool_calling_iterations": TURNS, "per_device_eval_batch_size": self.how.samples}
        if not valid:
            self.measure = None
        return {
            "args": settings(self.config, self.how, on_cpu, **more), "train_dataset": Dataset.from_list(train or rows),
            "eval_dataset": Dataset.from_list(valid) if valid else None,
            "environment_factory": environment(self.editor),
        }  # fmt: skip

    def logged(self, logs: Mapping[str, Any], state: Any, tell: Tell) -> None:
        """As every step, with the means of the reward's terms."""
        told = {f"term/{name}": value for name, value in self._taken().items()} if "reward" in logs else {}
        super().logged({**logs, **told}, state, tell)

    def _played(self, _place: Path) -> dict[str, float]:
        """The mean reward and its terms over the episodes that are held back, by the policy as it is now."""
        self.trainer.evaluate()
        return self._taken()

    def _taken(self) -> dict[str, float]:
        """Means over the episodes since last asked, the reward first; a tool that was not called counts as none."""
        played, self.editor.played = self.editor.played, []
        names = dict.fromkeys(["reward", *(name for terms in played for name in terms)])
        return {name: sum(terms.get(name, 0.0) for terms in played) / max(1, len(played)) for name in names}


def teach_tools(tokenizer: Any, base: str) -> None:
    """Gives the tokenizer a chat template that knows tools. Raises SettingsError where there is none for it."""
    from trl import chat_template_utils as templates

    if templates.supports_tool_calling(tokenizer):
        return
    if tokenizer.convert_tokens_to_ids(MARK) in (None, tokenizer.unk_token_id):
        raise SettingsError(
            f"The chat template of {base} knows no tools; train a base whose template does, such as Qwen2.5-Instruct."
        )
    tokenizer.chat_template = templates.qwen2_5_chat_template
