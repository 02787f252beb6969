"""Function words: what says little of a text's subject. Marked by an analyzer, never thrown away by it."""

_SEED = """
    a about above after again all am an and any are as at be been before being below both but by can could did do
    does doing don down during each else few for from further had has have having he her here his how i if in into is
    it its just more most no nor not now of off on once only or other ought our out over own s same she should so some
    such t than that the their them then there these they this those through to too under up very was we were what
    when where which while who whom why will with would you
"""
_MORE = """
    against although because cannot e.g. etc i.e. may me might mine must my myself ours ourselves shall since
    theirs themselves therefore though thus until unless upon us via whether whose within without your yours yourself
    him himself herself itself hers either every neither
    ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's here's how's i'd i'll i'm
    i've isn't it'd it'll it's let's mightn't mustn't needn't she'd she'll she's shouldn't that'll that's there's
    they'd they'll they're they've wasn't we'd we'll we're we've weren't what's where's who's won't wouldn't you'd
    you'll you're you've
"""

SEED = frozenset(_SEED.split())
"""rerankgate 0.2.0's list: what its coverage, support and F1 leave out."""

ENGLISH = (SEED - {"don", "s", "t"}) | frozenset(_MORE.split())
"""English function words and contractions, as the prose analyzers cut them."""

CODE = frozenset(word for word in ENGLISH if len(word) > 1)
"""The same without one-letter words, since those are names in code."""
