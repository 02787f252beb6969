"""A Trace as the small plain data that each interactive view draws; one module a view. Nothing is computed anew."""
