"""The built-in backends with their engines counted: what a refusal must never reach."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.verbs import BACKENDS, Backend


def counted(name: str) -> tuple[Backend, list[str]]:
    """The backend of that name, whole, and the list that each call of one of its engines is written to."""
    calls: list[str] = []

    def count(verb: str, engine: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(request: Any) -> Any:
            calls.append(verb)
            return engine(request)

        return run

    whole = BACKENDS[name]
    engines = {verb: engine and count(verb, engine) for verb, engine in whole.engines.items()}
    return replace(whole, engines=engines), calls
