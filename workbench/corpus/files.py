"""What every reader of files shares: strict UTF-8, and ids that stand once."""

from pathlib import Path

from workbench import checks
from workbench.errors import WorkbenchError


def text_of(path: str | Path) -> str:
    """The text of a UTF-8 file, a byte order mark taken off.

    Raises:
        WorkbenchError: ``missing_file``; ``not_utf8``, naming the file and the byte.
    """
    file = Path(path)
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "is not there"
        raise WorkbenchError("missing_file", f"{str(file)!r} {what}: give the path of a file", path=str(file))
    raw = file.read_bytes()
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as cause:
        raise WorkbenchError(
            "not_utf8",
            f"{str(file)!r} is not UTF-8 at byte {cause.start} (0x{raw[cause.start]:02x}): save it as UTF-8",
            path=str(file),
            byte=cause.start,
        ) from cause


class Ids:
    """The ids read so far and where each stood."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def take(self, id: object, place: str) -> str:
        """``id``, when it is text and new.

        Raises:
            WorkbenchError: ``missing_id``, ``id_not_text`` or ``repeated_id``, naming both places.
        """
        new = checks.item_id(id, place)
        if new in self._places:
            raise WorkbenchError(
                "repeated_id",
                f"{place} and {self._places[new]} have the id {new!r}: give each its own",
                id=new,
                places=(self._places[new], place),
            )
        self._places[new] = place
        return new


def malformed(path: str | Path, line: int, what: str) -> WorkbenchError:
    """``malformed_line`` for that line (from 1) of the file."""
    return WorkbenchError("malformed_line", f"line {line} of {str(path)!r} {what}", path=str(path), line=line)
