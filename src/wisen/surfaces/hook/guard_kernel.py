"""What guards need of the kernel, loaded where there are guards."""

from __future__ import annotations

import sys

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.doubts import doubt_of, is_doubtful
    from wisen.kernel.matching import WatchedCall, corrected_line, find_hits
else:
    # The same files, found by the folder of the package: nothing else of wisen is loaded with them.
    sys.path.append(__file__.rsplit("/", 3)[0])
    from kernel.doubts import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        doubt_of,
        is_doubtful,
    )
    from kernel.matching import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        WatchedCall,
        corrected_line,
        find_hits,
    )

__all__ = ["WatchedCall", "corrected_line", "doubt_of", "find_hits", "is_doubtful"]
