"""The user's consent to have their agent help classify what they said: stored in config.toml, off by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.change import POINTING_ANSWER, content_digest

if TYPE_CHECKING:
    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.store.home import Home


class PointingConsent:
    """Whether agents are asked to point at the user's words. Only a person decides that."""

    def __init__(
        self,
        home: Home,
        edit_ports: EditPorts,
        decisions: Decisions,
        refresh: Refresh,
        *,
        answered: bool | None,
        local: bool = False,
    ) -> None:
        """`answered`: the user's answer; None where they were never asked. `local`: whether it covers local words."""
        self._home, self._edit_ports, self._decisions, self._refresh = home, edit_ports, decisions, refresh
        self._answer, self.covers_local = answered, local

    @property
    def is_given(self) -> bool:
        """Whether agents may be asked."""
        return self._answer is True

    def record(self, *, yes: bool, dry_run: bool = False) -> Edit | None:
        """Record the user's answer; None where it is unchanged. The hook snapshot is refreshed at once.

        Raises:
            PersonNeeded: nothing shows that a person answers.
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
            StoreError: the hook snapshot cannot be written.
        """
        from wisen.edits.editor import Editor, ValuePlan

        if self._answer is yes:
            return None
        self._decisions.require_person("feedback", "on" if yes else "off", dry_run=dry_run)
        path = self._home.path / "config.toml"
        saw = content_digest(self._edit_ports.files.read(path).content)
        plan = ValuePlan(str(path), ("feedback", "pointing"), yes, POINTING_ANSWER, saw)
        with self._decisions.as_decision("pointing", "config", dry_run=dry_run):
            edit = Editor(self._edit_ports).set_value(plan, dry_run=dry_run)
        if not dry_run:
            self._answer = yes
            self._refresh.snapshots()
        return edit
