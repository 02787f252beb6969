import pytest

from tests.parity.conftest import PACKAGES, missing


def test_the_packages_whose_orders_are_reproduced_are_here() -> None:
    absent = [name for names in PACKAGES.values() for name in missing(names)]
    if absent:
        pytest.skip(f'parity with {", ".join(absent)} is not checked: pip install -e ".[parity]" installs them')
