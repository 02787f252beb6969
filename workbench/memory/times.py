"""Moments as whole microseconds since 1970 UTC, so that comparing and subtracting them is exact."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from workbench.errors import WorkbenchError

DAY = 86_400_000_000
"""Microseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def moment(name: str, given: Any) -> int:
    """``given`` as a moment: a datetime, a date (its first moment), or ISO 8601 text of either. Without an offset it is UTC.

    Raises:
        WorkbenchError: ``unreadable_time``.
    """
    try:
        read = datetime.fromisoformat(given) if isinstance(given, str) else given
        if isinstance(read, date) and not isinstance(read, datetime):
            read = datetime(read.year, read.month, read.day)
        if not isinstance(read, datetime):
            raise ValueError(f"{type(given).__name__} is no time")
        found = ((read if read.tzinfo else read.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
        shown(found)
    except (ValueError, OverflowError) as cause:
        raise WorkbenchError(
            "unreadable_time",
            f"{name} is {given!r:.80}: {cause}; give a datetime, or ISO 8601 text such as '2031-05-01T12:00:00Z'",
            name=name,
        ) from cause
    return found


def moment_now(given: Any) -> int:
    """``now`` where it was passed in, else the clock: the one place where memory reads it."""
    return moment("now", datetime.now(UTC) if given is None else given)


def shown(at: int) -> str:
    """A moment as ISO 8601 text in UTC."""
    return (_EPOCH + at * _MICROSECOND).isoformat().replace("+00:00", "Z")
