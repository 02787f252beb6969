"""What views that stand side by side mark together."""

from uuid import uuid4

from traitlets import HasTraits, Unicode


class Selection(HasTraits):
    """The candidate that is selected and the one that is pinned for comparison, shared by every view it is given to.

    In the browser the views find each other by ``key``, so that hovering and selecting link without a kernel, in a
    saved page too. In Python both are ids, or None; set them, or observe them.
    """

    selected = Unicode(None, allow_none=True)
    """Id of the selected candidate."""
    pinned = Unicode(None, allow_none=True)
    """Id of the candidate that others are compared with."""

    def __init__(self, selected: str | None = None, pinned: str | None = None) -> None:
        super().__init__(selected=selected, pinned=pinned)
        self.key = uuid4().hex
