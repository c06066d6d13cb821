"""Random streams, given to git and to us: the same repository must come out.

``world`` and ``worlds`` make the repositories to start from; ``settings``, ``words``, ``pieces``,
``changes``, ``generate`` and ``mutate`` the cases. ``run`` gives a case to git, ``ours`` to us, by
way of the process that ``server`` keeps; ``outcome`` says what each did, ``audit`` whether our
objects are sound. ``compare`` does all of it for one case, ``known`` lists where we differ on
purpose, and ``campaign`` is the command for long runs.
"""
