"""Train from Python, and read the best episode of every step while the run goes on.

python examples/watch.py run.name=watched run.steps=5
"""

import sys

import agentgym_rl
from agentgym_rl.config import load
from agentgym_rl.evaluation.transcript import transcript
from agentgym_rl.records.episodes import read_episodes
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.settings import TrainSettings


class Watch(Callback):
    def on_start(self, settings, folder, first_step):
        self.folder = folder

    def on_step(self, metrics):
        episodes = read_episodes(self.folder / "episodes" / f"{metrics['step']}.jsonl.zst")
        best = max(episodes, key=lambda episode: episode.score)
        print(f"step {metrics['step']}, success {metrics['success/mean']:.2f}\n{transcript(best, 80)}\n")


def main(overrides):
    settings = load("configs/tiny.yaml", overrides, TrainSettings).settings
    return agentgym_rl.train(settings, callbacks=[Watch()])


if __name__ == "__main__":
    print(main(sys.argv[1:])["difference"])
