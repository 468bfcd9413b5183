"""Counts the words of a text that negate or forbid, in all shipped languages.

It is used to compare a wording with its source: if the counts differ, the meaning was inverted. It does not say what
is negated and need not know the language: a word that negates in one language counts in all.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_WORDS = """
no not never don't dont doesn't doesnt didn't didnt won't wont can't cant cannot couldn't shouldn't shouldnt wouldn't
mustn't isn't isnt aren't arent wasn't weren't haven't hasn't needn't without avoid avoids avoiding stop stops quit
cease refrain nor neither none nothing nobody nowhere nope nah instead rather forbid forbidden ban banned prohibited
unless
enough
nein nee nicht nich kein keine keinen keinem keiner keines keinerlei nie niemals ohne statt anstatt stattdessen weder
nichts nix vermeide vermeiden vermeidet verzichte verzichten unterlass unterlasse aufhören verboten finger
nunca jamás jamas sin tampoco ni ningún ninguna ninguno nada evita evitá evite evitar evites deja dejá deje basta
prohibido pas ne jamais sans aucun aucune évite évitez éviter evite arrête arrêtez arrete inutile interdit plutôt ni
rien
não nao sem nenhum nenhuma evite evita evitar pare para chega proibido jamais
non mai senza nessun nessuno nessuna niente evita evitare smetti smettila smettere basta invece vietato
не нет ни никогда без нельзя вместо хватит перестань прекрати избегай избегайте никаких никакой никакого запрещено
nie nigdy bez zamiast żaden żadna żadne żadnych unikaj unikać przestań przestańcie dość zakaz
asla sakın değil yok olmadan hayır yerine kullanma yapma ekleme dokunma silme değiştirme yazma koyma etme olmasın
yasak
gerek sormadan bırak yeter kaçın
inte ej icke aldrig utan ingen inget inga sluta undvik istället nej
không ko đừng chưa chẳng khỏi cấm tránh ngừng thôi
नहीं नही मत न ना बिना बंद nahi nahin nhi mat bina
لا لم لن ليس ليست بدون بلا دون غير ممنوع تجنب توقف بلاش مش مو ما
"""
_NEGATING_PARTS = (
    "n't|n’t|不|没|沒|别|別|勿|未|无|無|禁止|避免|停止|拒绝|なく|ない|なし|ません|ぬ|やめ|止め|避け|"
    "지 ?마|지 ?말|않|안 |없|금지|그만|못 |대신|말고|\\bn'(?=[aeiouyéèêh])|\\bn’(?=[aeiouyéèêh])"
)
"""What negates in any position: endings, and words of scripts without spaces."""
_TURKISH_ENDINGS = r"\b\w{2,}(?:ma|me)(?:yın|yin|yalım|yelim|dan|den)\b"
_NEGATING = frozenset(_WORDS.split())
_ENDINGS = lazy_regex(rf"{_TURKISH_ENDINGS}|{_NEGATING_PARTS}", re.IGNORECASE)
_NEGATIONS = lazy_regex(
    rf"(?<![\w'])(?:{'|'.join(sorted(map(re.escape, _NEGATING), key=len, reverse=True))})(?![\w'])"
    rf"|{_TURKISH_ENDINGS}|{_NEGATING_PARTS}",
    re.IGNORECASE,
)
_WORD = lazy_regex(r"[\w']+")
_ASCII_ENDINGS = ("dan", "den", "yelim")


def count_negations(text: str) -> int:
    """Count the words or endings that negate, forbid or replace one thing with another."""
    text = text.replace("’", "'")
    if not text.isascii():
        return len(_NEGATIONS.findall(text))
    # The same word by word: a set lookup is faster than an alternation of two hundred words.
    return sum(
        1 if word in _NEGATING else len(_ENDINGS.findall(word)) if "n'" in word or word.endswith(_ASCII_ENDINGS) else 0
        for word in _WORD.findall(text.lower())
    )
