"""Detects words that say how long something applies: always, or only for now."""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_ALWAYS = (
    r"always|never(?: ever)?(?! ?mind)|from now on|from here on|going forward|in (?:the )?future|every ?time"
    r"|each time|whenever"
    r"|without exception|no exceptions|permanently"
    r"|immer|nie|niemals|nie wieder|nie mehr|ab jetzt|ab sofort|von nun an|in zukunft|künftig|ausnahmslos"
    r"|siempre|nunca|jamás|de ahora en adelante|a partir de ahora|desde ahora|en adelante"
    r"|toujours|jamais|désormais|dorénavant|à partir de maintenant|à l'avenir|systématiquement"
    r"|sempre|mai|mai più|d'ora in poi|d'ora in avanti|in futuro|de agora em diante|a partir de agora|daqui em diante"
    r"|всегда|никогда|отныне|впредь|с этого момента|на будущее|zawsze|nigdy|od teraz|odtąd|na przyszłość"
    r"|her zaman|daima|asla|bundan sonra|bundan böyle|alltid|aldrig|från och med nu|hädanefter|framöver"
    r"|luôn|luôn luôn|không bao giờ|đừng bao giờ|từ giờ|từ nay|từ giờ trở đi"
    r"|हमेशा|कभी|अब से|आगे से|hamesha|kabhi|ab se|aage se|دائما|دائمًا|أبدا|أبدًا|من الآن فصاعدا|من هنا ورايح"
)
_UNSPACED_ALWAYS = (
    "总是|總是|永远|永遠|以后|以後|从现在开始|一律|每次|今后"
    "|必ず|いつも|今後|これから|常に|絶対|毎回|항상|언제나|앞으로|절대|늘 "
)
_LASTS = lazy_regex(rf"(?<!\w)(?:{_ALWAYS})(?!\w)|{_UNSPACED_ALWAYS}", re.IGNORECASE)
_SOFTENERS = (
    r"(?:(?:please|and|so|but|again|just|also|no|nope|ok|okay|bitte|por favor|s'il te plaît|per favore)[\s,:.!–—-]+)*"
)
_OPENS = lazy_regex(rf"\W*{_SOFTENERS}(?:(?:{_ALWAYS})(?!\w)|{_UNSPACED_ALWAYS})", re.IGNORECASE)
_CLOSES = lazy_regex(rf"(?<!\w)(?:(?:{_ALWAYS})(?!\w)|{_UNSPACED_ALWAYS})[\s.!,。！]*\Z", re.IGNORECASE)
_CLAUSES = lazy_regex(r"(?<=[.!?;:,])\s+|\s+[–—-]\s+|(?<=[。！？；，、])")
_TEMPORARY = lazy_regex(
    r"\b(?:for now|for the (?:moment|time being)|(?:just |only )?this (?:once|time)|right now|temporarily"
    r"|for today|today(?!['’])"
    r"|tonight|vorerst|fürs erste|erstmal|diesmal|dieses mal|heute|por ahora|por hoy|de momento|esta vez|hoy"
    r"|pour l'instant|pour le moment|cette fois(?:-ci)?|aujourd'hui|per ora|per adesso|questa volta|oggi|por enquanto"
    r"|desta vez|hoje|пока что|на этот раз|сегодня|na razie|tym razem|dzisiaj|dziś|şimdilik|bu sefer|bu seferlik"
    r"|bugün"
    r"|tills vidare|den här gången|idag|tạm thời|lần này|hôm nay|abhi ke liye|is baar)\b"
    r"|这次|這次|暂时|今天|今回(?:だけ|は)|今日だけ|とりあえず|이번만|이번에는|오늘만|일단은|इस बार|फ़िलहाल|आज"
    r"|هذه المرة|حاليا|اليوم",
    re.IGNORECASE,
)


def has_lasting_words(text: str) -> bool:
    """Whether a text contains lasting words in any position."""
    return _LASTS.search(text.replace("’", "'")) is not None


def is_lasting_order(text: str) -> bool:
    """Whether a clause begins or ends with a lasting word: "never push", "…, always", but not "it never works"."""
    if not has_lasting_words(text):
        return False
    clauses = [each for each in _CLAUSES.split(text.replace("’", "'")) if each.strip()]
    return any(_OPENS.match(each) or _CLOSES.search(each) for each in clauses)


def is_temporary(text: str) -> bool:
    """Whether a text says that it applies only for now."""
    return _TEMPORARY.search(text.replace("’", "'")) is not None and _LASTS.search(text) is None
