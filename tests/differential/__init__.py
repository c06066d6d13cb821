"""Random streams, given to git and to us: the same repository must come out.

``world`` makes the repositories, ``generate`` and ``mutate`` the streams, ``run`` runs both and
tells what each did, ``known`` lists where we differ on purpose, ``campaign`` is the command for
long runs.
"""
