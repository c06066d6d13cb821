"""The command line: one module for each subcommand.

Whoever runs the program imports this first, so Python is set up here for what it is to do.
"""

import gc

# Nearly nothing here is part of a cycle: the collector's rounds cost some percent of the work, and
# of a start, where nothing that is imported goes away again, more.
gc.set_threshold(100_000, 50, 50)
