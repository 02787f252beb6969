"""Random lanes, the same in every run: what each real package and ours are given."""

import random
from collections.abc import Iterator

CASES = 200
Lanes = list[list[tuple[str, float]]]


def cases(*, most_lanes: int = 4, least: int = 0) -> Iterator[tuple[random.Random, Lanes]]:
    """200 cases: 1 to ``most_lanes`` lanes over 3 to 30 ids, scores that fall, some equal; ids in no order."""
    rng = random.Random(20_310)
    for _ in range(CASES):
        ids = [f"{rng.choice('zyxab')}{number}" for number in range(rng.randint(3, 30))]
        lanes = []
        for _ in range(rng.randint(1, most_lanes)):
            picked = rng.sample(ids, rng.randint(least, len(ids)))
            lanes.append(
                list(zip(picked, sorted((rng.choice([rng.random(), 0.5]) for _ in picked), reverse=True), strict=True))
            )
        if any(lanes):
            yield rng, lanes
        else:
            yield rng, [[("z0", 1.0)]]


def named(lanes: Lanes) -> dict[str, list[str]]:
    """The lanes as ours take them."""
    return {f"lane {place}": [id for id, _ in lane] for place, lane in enumerate(lanes)}
