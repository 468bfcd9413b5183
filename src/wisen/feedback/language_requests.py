"""Builds the chat request table from the shipped languages and the `[requests]` of the languages that were added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.delivery.chat_requests import ChatForms, build_table, shipped_forms, shipped_table
from wisen.feedback.language import merge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.delivery.chat_requests import RequestTable
    from wisen.feedback.language import Language


def build_request_table(added: Iterable[Language]) -> RequestTable:
    """The table of shipped and added languages; where both have the same form, the shipped one wins.

    A file replaces a shipped language or extends it, as with its phrases; without forms it changes nothing.
    """
    forms = {each.code: each for each in shipped_forms()}
    with_forms = [each for each in added if each.requests != ChatForms()]
    if not with_forms:
        return shipped_table()
    for language in with_forms:
        given = replace(language.requests, code=language.code)
        known = forms.get(language.code)
        forms[language.code] = merge(known, given) if known is not None and language.extends else given
    return build_table(forms.values())
