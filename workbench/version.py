"""The version of the package; part of every Trace."""

__version__ = "0.1.0"
