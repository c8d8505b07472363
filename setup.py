"""What pyproject.toml can't say in one line: every room of the floors is a package below `chatmem`."""

from setuptools import find_packages, setup

FLOORS = ("app", "eval", "memory", "models", "training")

setup(
    packages=[
        "chatmem",
        "chatmem.assets",
        *(f"chatmem.{name}" for name in find_packages(include=[f"{floor}*" for floor in FLOORS])),
    ]
)
