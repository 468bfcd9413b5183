"""Which directories a project has that the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.contexts.project_names import nearest_projects, project_places
from wisen.errors import UsageError

if TYPE_CHECKING:
    from wisen.parts import Parts


def places_of(parts: Parts, project: str, *, must: bool = False) -> tuple[str, ...]:
    """The directories of a project, by its name or path; none where nothing is known of it, unless it `must` be.

    Raises:
        UsageError: it has no name, or must be known and is not.
    """
    if not project.strip():
        raise UsageError("--project needs a name, like --project shop, or a path. Which there are: wisen contexts")
    contexts, aliases = parts.ledger.contexts(), parts.aliases()
    places = project_places(project, str(Path(project).expanduser().absolute()), contexts, aliases)
    if must and not places:
        near = nearest_projects(project, contexts, aliases)
        known = f" Nearest: {', '.join(near)}." if near else ""
        raise UsageError(f"No project {project!r} was seen in your sessions.{known} All of them: wisen contexts")
    return places
