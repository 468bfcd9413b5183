"""Rules for private data: the clues that are searched for in every text, and the patterns tried where one is found.

Numbers count only with a check digit or next to a name; statements about health or biometrics only if they are about a
person. What a clue means is decided in `private`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.safety import checksums

if TYPE_CHECKING:
    from collections.abc import Callable

FINANCIAL, MEDICAL, BIOMETRIC, IDENTITY, PEOPLE = "financial", "medical", "biometric", "identity", "third-party"
MONEY, BANK, HEALTHY, BODILY, HOME, CALLED = "cards and accounts", "banks", "health", "body", "home", "telephone"
"""What a clue can point to, in addition to the numbers that have clues of their own."""

_CLUES = {
    MONEY: "0000000000|0000 0000|0000-0000-0000|0000 000000 0000|0000-000000-0000",
    BANK: "routing number|routing no|aba number|sort code|account number|account no|kontonummer|bankleitzahl",
    HEALTHY: "diagnosed with|diagnostiziert|diagnostiqué|diagnosticad|suffer from|suffers from|suffering from"
    "|prescribed| mg |hiv positive|hiv-positive|tested positive|treated for|chemotherapy|is pregnant|am pregnant",
    BODILY: " fingerprint| iris | retina | faceprint| face template| face embedding| voiceprint| voice print"
    "| dna | dna:| genome| genetic profile",
    # By the digits: the words next to them occur in every other line of code.
    CALLED: "000 000|000-000|000.000|(000)|00 00 00|0000 00|0000-0000|0000/000|0000000000|+00 0|+000 0|+0 0|000 00 00",
    HOME: "lives at|live at|lives in|resides at|home address|private address|my address|his address|her address"
    "|their address| street| avenue| ave,| road,| lane,| drive,|straße|strasse| rue | calle | boulevard|wohnt ",
}

BEGIN = r"(?<![\w.,+/@-].)"
"""Comes after the first character: a pattern that begins with a character class is several times as fast."""
END = r"(?![\w@/-]|[.,][0-9])"
_IS = r"(?:\W{0,3}(?:is|was|are|lautet|est|es|number|no|nr|num|id)\b){0,3}[^\w\n]{1,6}"
"""Between the name of a number and the number."""


class NumberRule(NamedTuple):
    """A number that is private if its pattern and its check agree. The check sees the group `n`, without separators."""

    kind: str
    description: str
    clues: str
    """Literals, one of which occurs in every text that contains one; any digit in them matches any other."""
    form: str
    check: Callable[[str], bool] | None = None
    sure: bool = True


def _named_number(names: str, form: str) -> str:
    return rf"(?i)(?<![a-z])(?:{names})(?:\s(?:number|no\.?|nr\.?|num|id|\#))*{_IS}(?P<n>{form}){END}"


def _bare_number(first: str, rest: str) -> str:
    return rf"(?P<n>{first}{BEGIN}(?:{rest})){END}"


def _label_clues(words: str) -> str:
    """Return short words as clues: only if they end like a label."""
    return "|".join(f"{word}{end}" for word in words.split() for end in (":", " ", "=", '"', "'", "\\", "#"))


def _is_somebodys(number: str) -> bool:
    """Whether it can be somebody's number, and not a word or a repeated digit."""
    return sum(sign.isdecimal() for sign in number) >= 5 and len(set(number)) > 3


CARD = _bare_number(
    "[0-9]",
    r"[0-9]{3}(?P<gap>[ -]?)[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{1,7}"
    r"|[0-9]{3}(?P<gap2>[ -]?)[0-9]{6}(?P=gap2)[0-9]{4,5}",
)
CARD_WORDS = r"(?i)\b(?:card|visa|master ?card|amex|american express|credit|debit|cvv|cvc|karte|carte|tarjeta)"
IBAN = _bare_number("[A-Z]", r"[A-Z][0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?")
ROUTING = _named_number("routing|aba|aba routing", "[0-9]{9}")
SORT_CODE = _named_number("sort code|bankleitzahl|blz|bsb", "[0-9]{2}-?[0-9]{2}-?[0-9]{2,4}|[0-9]{3}-[0-9]{3}")
ACCOUNT = _named_number("account(?= n)|kontonummer|konto-nr", "[0-9]{6,17}")

_LICENCE = "driver'?s?'? licen[cs]e|driving licen[cs]e"
_PASSPORT = "passport|reisepass(?:nummer)?|passeport|pasaporte"
_INSURANCE = "health insurance|medicare|medicaid|kranken(?:versicherung(?:snummer)?|versichertennummer)|insurance"
_PAPER = "national id|identity card|personalausweis(?:nummer)?"
_CODICE = "[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]"
_NINO = "[A-CEGHJ-PR-TW-Z]{2} ?(?:[0-9]{2} ?){3}[A-D]"
_SSN, _SIN = "[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}", "[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}"
_ANY = "[A-Z0-9][A-Z0-9-]{5,17}"

NUMBERS: tuple[NumberRule, ...] = (
    NumberRule(
        IDENTITY,
        "a social security number",
        _label_clues("ssn") + "|social security",
        _named_number("ssn|social security", _SSN),
        checksums.is_social_security_number,
    ),
    NumberRule(
        IDENTITY,
        "a passport number",
        "passport|reisepass|passeport|pasaporte",
        _named_number(_PASSPORT, "[A-Z]{0,2}[0-9]{6,9}|[A-Z0-9]{9}"),
        _is_somebodys,
    ),
    NumberRule(
        IDENTITY,
        "the number of a driving licence",
        "driver's licen|drivers licen|driver licen|driving licen",
        _named_number(_LICENCE, _ANY),
        _is_somebodys,
    ),
    NumberRule(
        IDENTITY, "a national insurance number", "national insurance", _named_number("national insurance", _NINO)
    ),
    NumberRule(
        IDENTITY,
        "an identity number",
        "aadhaar",
        _named_number("aadhaar", "[2-9][0-9]{3} ?[0-9]{4} ?[0-9]{4}"),
        _is_somebodys,
    ),
    NumberRule(
        IDENTITY, "a tax number", "pan card|pan number|pan no", _named_number("pan card|pan", "[A-Z]{5}[0-9]{4}[A-Z]")
    ),
    NumberRule(
        IDENTITY,
        "an identity number",
        _label_clues("dni nie"),
        _named_number("dni|nie", "[XYZ]?[0-9]{7,8}-?[A-Z]"),
        checksums.is_dni,
    ),
    NumberRule(
        IDENTITY,
        "a tax code",
        "codice fiscale|cod. fisc",
        _named_number("codice fiscale|cod. fisc.", _CODICE),
        checksums.is_codice_fiscale,
    ),
    NumberRule(
        IDENTITY,
        "a social security number",
        "sécurité sociale|securite sociale",
        _named_number("s[ée]curit[ée] sociale", "[12](?: ?[0-9]){14}"),
        checksums.is_nir,
    ),
    NumberRule(
        IDENTITY,
        "a tax number",
        "000.000.000-00",
        _bare_number("[0-9]", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"),
        checksums.is_cpf,
    ),
    NumberRule(
        IDENTITY,
        "a citizen's number",
        _label_clues("bsn") + "|burgerservice",
        _named_number("bsn|burgerservicenummer", "[0-9]{9}"),
        checksums.is_bsn,
    ),
    NumberRule(IDENTITY, "a citizen's number", "pesel", _named_number("pesel", "[0-9]{11}"), checksums.is_pesel),
    NumberRule(
        IDENTITY,
        "a citizen's number",
        "personnummer",
        _named_number("personnummer", "[0-9]{6,8}[-+]?[0-9]{4}"),
        checksums.is_personnummer,
    ),
    NumberRule(
        IDENTITY,
        "a social insurance number",
        "social insurance|tax file",
        _named_number("social insurance|tax file", _SIN),
        _is_somebodys,
    ),
    NumberRule(
        IDENTITY,
        "a resident's number",
        "0" * 17,
        _bare_number("[1-9]", "[0-9]{16}[0-9Xx]"),
        checksums.is_resident_identity,
    ),
    NumberRule(
        IDENTITY,
        "the number of an identity paper",
        "national id|identity card|personalausweis",
        _named_number(_PAPER, _ANY),
        _is_somebodys,
        sure=False,
    ),
    NumberRule(
        MEDICAL,
        "a health service number",
        "nhs number|nhs no",
        _named_number("nhs", "[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}"),
        checksums.is_nhs_number,
    ),
    NumberRule(
        MEDICAL,
        "a health insurance number",
        "health insurance|insurance n|insurance id|medicare|medicaid|krankenversicher",
        _named_number(_INSURANCE, _ANY),
        _is_somebodys,
    ),
    NumberRule(
        MEDICAL,
        "a patient's number",
        "medical record|patient id|patient n",
        _named_number("medical record|patient(?= id| n)", _ANY),
        _is_somebodys,
        sure=False,
    ),
)

CLUES: dict[str, tuple[str, ...]] = {}
"""What each literal points to; any digit in it matches any other."""
for _topic, _literals in [*_CLUES.items(), *((number.form, number.clues) for number in NUMBERS)]:
    for _literal in _literals.split("|"):
        CLUES[_literal] = (*CLUES.get(_literal, ()), _topic)

_SOMEBODY = (
    r"\b(?:i|i'm|i've|he|she|they|he's|she's|(?:my|his|her|their|our)\s(?:\w+\s)?(?:wife|husband|mother|father|mom|mum"
    r"|dad|son|daughter|child|kid|brother|sister|partner|girlfriend|boyfriend|boss|colleague|friend|client|patient"
    r"|grandmother|grandfather|uncle|aunt|neighbou?r)|the\spatient|patient\s\w+)\b"
)
_ILLNESS = (
    r"(?:cancer|carcinoma|tumou?r|leuka?emia|lymphoma|diabetes|hiv|aids|hepatitis|depression|bipolar|schizophreni\w+"
    r"|adhd|autis\w+|epilep\w+|asthma|dementia|alzheimer\w*|parkinson\w*|multiple sclerosis|ptsd|anxiety|anorexia"
    r"|bulimia|ocd|crohn\w*|lupus|arthritis|tuberculosis|syphilis|chlamydia|herpes|covid\S*|migraines?|psoriasis)"
)
_MEDICINE = (
    r"(?:sertraline|fluoxetine|citalopram|escitalopram|venlafaxine|bupropion|quetiapine|olanzapine|risperidone"
    r"|methylphenidate|ritalin|adderall|xanax|alprazolam|diazepam|lorazepam|metformin|insulin|levothyroxine"
    r"|atorvastatin|warfarin|methotrexate|prednisone|tamoxifen|truvada|oxycodone|methadone|buprenorphine|morphine)"
)
_PHRASE = r"[^.!?;\x22\n]"
HEALTH = (
    rf"(?i){_SOMEBODY}{_PHRASE}{{0,60}}\b(?:diagnosed\swith|suffer(?:s|ing)?\sfrom|tested\spositive\sfor|treated\sfor)"
    rf"\s(?:\w+\s){{0,3}}{_ILLNESS}\b"
    rf"|{_SOMEBODY}{_PHRASE}{{0,40}}\b(?:takes?|taking|on|prescribed)\s{_PHRASE}{{0,30}}\b{_MEDICINE}\b"
    rf"|{_SOMEBODY}\s(?:\w+\s){{0,2}}(?:hiv[\s-]positive|having\schemotherapy|on\schemotherapy)\b"
)
"""About a person, with the name of an illness or a medicine."""
MAYBE_HEALTH = (
    rf"(?i){_SOMEBODY}{_PHRASE}{{0,40}}\b(?:(?:was|were|am|is|are|been|got|just)\sdiagnosed\swith|suffers\sfrom"
    r"|(?:is|am)\spregnant|(?:was|been)\sprescribed)\b"
    rf"|\bwurde\s{_PHRASE}{{0,60}}\bdiagnostiziert\b|\bdiagnostiqué\w*\s(?:avec|d[eu'])|\bdiagnosticad[oa]\scon\b"
)
_BODY = (
    r"(?:finger\s?prints?|iris|retina|face\s?prints?|face\s(?:template|embedding)|voice\s?prints?|dna|genome"
    r"|genetic\sprofile)"
)
_WHOSE = r"\b(?:my|his|her|their|the\s(?:patient|customer|employee|suspect)'s)"
BODY = (
    rf"(?i){_WHOSE}\s{_BODY}\b{_PHRASE}{{0,40}}?(?<![A-Za-z0-9])"
    r"(?:[ACGT]{20,}\b|[A-Za-z0-9+/=_-]{40,}|(?:-?[0-9]\.[0-9]{2,},\s?){5,})"
)
MAYBE_BODY = rf"(?i){_WHOSE}\s{_BODY}\s(?:data|scan|sample|sequence|template|result|test)s?\b"
ADDRESS = (
    r"\b[0-9]{1,5}[a-z]?,?\s(?:[NSEW]\.?\s)?(?:[A-Z][\w'.-]+\s){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr"
    r"|Boulevard|Blvd|Court|Ct|Way|Close|Terrace|Place|Crescent)\b"
    r"|\b[A-ZÄÖÜ][\wäöüß.-]*(?:straße|strasse|str\.|gasse|allee|platz|weg)\s[0-9]{1,4}\s?[a-z]?\b"
    r"|\b[0-9]{1,4}(?:\s?bis)?,?\s(?:rue|avenue|boulevard|chemin|impasse|place)\s(?:d[eu]s?\s|la\s|l')*[A-ZÉÈ][\w'é-]+"
    r"|\b(?:Calle|Avenida|Via|Viale|Piazza)\s(?:[a-z]{2,3}\s)*[A-Z][\w'é-]+,?\s[0-9]{1,4}\b"
)
DWELLING = (
    r"(?i)\b(?:lives?|living|resid(?:es?|ing))\s(?:at|in)\b|\b(?:home|private)\saddress\b"
    r"|\b(?:my|his|her|their)\s(?:\w+\s)?address\b|\bwohnt\b|\bhabite\b|\bvive\sen\b"
)
TELEPHONE = (
    r"(?P<n>[+(0-9](?<![\w.+/:#@-].)(?:"
    r"(?<=\+)[1-9][0-9]{0,2}[ ./-]?\(?0?\)?(?:[ ./-]?\(?[0-9]{1,5}\)?){2,6}"
    r"|(?<=0)[0-9]{1,4}(?:[ ./-]{1,2}[0-9]{2,7}){1,5}|(?<=\()[0-9]{2,5}\)(?:[ ./-]{0,2}[0-9]{2,7}){1,5}"
    r"|(?<=0)[1-9][0-9]{8,11}|[0-9]{2}[ .-][0-9]{3}[ .-][0-9]{4}|[0-9]{1,3}(?:[ -][0-9]{2,4}){2,4}))"
    r"(?![\w@/:-]|[.,][0-9])"
)
SHOWN_NUMBER = r"(?:^|[^0-9])(?:1?\D{0,2}[0-9]{3}\D{0,2})?555\D?[0-9]{4}|0000|1234567|123 ?456"
"""Numbers used in examples."""
_CALLED = (
    r"phone|mobile|whatsapp|telefon|handy|anruf|erreich|portable|tel[eé]fono|m[oó]vil|celular|kom[oó]rk|mobil"
    r"|điện thoại|फ़ोन|फोन|телефон|звони|电话|電話|手机|携帯|전화|연락처|휴대폰|هاتف|اتصل|جوال|tel[:.]"
)
_MAYBE_CALLED = (
    r"call|cell|ruf|appel|llama|chiama|n[uú]m[eé]ro|ligue|numer|dzwo[nń]|\bring\b|numret|numaras|gọi|नंबर|कॉल|номер"
    r"|号码|番号|번호|رقم|number"
)
SURELY_CALLED = rf"(?i)(?:{_CALLED})[^\n{{}}=]{{0,48}}$"
CALLED_BY = rf"(?i)(?:{_CALLED}|{_MAYBE_CALLED})[^\n{{}}=]{{0,48}}$"
GROUPED = r"[2-9][0-9]{2}[ .-][0-9]{3}[ .-][0-9]{4}"
"""A number next to a word that says that it is somebody's telephone."""
EMAIL = r"[\w.+-]{1,64}@(?!(?:[\w-]+\.)*(?:example|test|localhost|invalid)\b)(?!users\.noreply)[\w-]+(?:\.[\w-]+)+"
PHONE = (
    rf"(?!(?:\+?1[ .-])?\(?[0-9]{{3}}\)?[ .-]?555)[+(0-9]{BEGIN}"
    r"(?:(?<=\+)[0-9]{1,3}(?:[ .-]?\(?[0-9]{1,4}\)?){2,5}|[0-9]{2,4}\)?[ .-][0-9]{3,4}[ .-]?[0-9]{3,5})"
    rf"{END}"
)
