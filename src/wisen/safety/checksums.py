"""Check digits of cards, accounts and identity papers. Each function takes the characters without separators."""

from __future__ import annotations

_LETTER_OF_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD_PLACES = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16,
         10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip
"""The value of a character at the odd positions of an Italian tax code."""
_IBAN_LENGTHS = {
    country: int(length)
    for row in (
        "15 NO", "16 BE", "18 DK FI FO GL NL", "19 MK SI", "20 AT BA EE KZ LT LU XK", "21 CH CR HR LI LV",
        "22 BG BH DE GB GE IE ME RS VA", "23 AE GI IL TL", "24 AD CZ ES MD PK RO SA SE SK TN VG", "25 PT",
        "26 IS TR", "27 FR GR IT MC MR SM", "28 AL AZ CY DO GT HU LB LC PL", "29 BR EG PS QA UA", "30 JO KW MU",
        "31 MT SC",
    )
    for length, *countries in [row.split()]
    for country in countries
}  # fmt: skip


def is_luhn(digits: str) -> bool:
    """Payment cards, and the numbers of several countries."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def is_card(digits: str) -> bool:
    """A payment card of a known brand that was not made up for a test: those repeat a few digits."""
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    brand = (
        (digits[0] == "4" and size in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and size == 16)
        or (two in (34, 37) and size == 15)
        or ((four == 6011 or two == 65 or 3528 <= four <= 3589) and size == 16)
        or (two == 62 and 16 <= size <= 19)
        or ((300 <= int(digits[:3]) <= 305 or two in (36, 38)) and size == 14)
    )
    return brand and len(set(digits)) > 5 and is_luhn(digits)


def is_iban(account: str) -> bool:
    """An account with the length of its country and a valid remainder."""
    if _IBAN_LENGTHS.get(account[:2]) != len(account):
        return False
    return int("".join(str(int(sign, 36)) for sign in account[4:] + account[:4])) % 97 == 1


def is_routing_number(digits: str) -> bool:
    """A bank in the United States."""
    weighed = sum(int(digit) * weight for digit, weight in zip(digits, (3, 7, 1) * 3, strict=True))
    return weighed % 10 == 0 and digits[:2] <= "32" and weighed > 0


def is_social_security_number(digits: str) -> bool:
    """A number that can have been issued in the United States."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000" and len(set(digits)) > 3


def is_cpf(digits: str) -> bool:
    """Brazil."""
    if len(set(digits)) < 3:
        return False
    for size in (9, 10):
        weighed = sum(int(digit) * (size + 1 - place) for place, digit in enumerate(digits[:size]))
        if weighed * 10 % 11 % 10 != int(digits[size]):
            return False
    return True


def is_dni(number: str) -> bool:
    """Spain: eight digits and a letter, or a foreigner's with X, Y, Z in front."""
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return _LETTER_OF_DNI[int(digits) % 23] == number[-1]


def is_codice_fiscale(code: str) -> bool:
    """Italy."""
    even = sum(int(sign) if sign.isdecimal() else ord(sign) - ord("A") for sign in code[1:15:2])
    return (sum(_ODD_PLACES[sign] for sign in code[0:15:2]) + even) % 26 == ord(code[15]) - ord("A")


def is_nir(digits: str) -> bool:
    """France, without the letters of Corsica."""
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def is_bsn(digits: str) -> bool:
    """The Netherlands."""
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True)) % 11 == 0


def is_pesel(digits: str) -> bool:
    """Poland."""
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True)) % 10 == 0


def is_personnummer(digits: str) -> bool:
    """Sweden, with or without the century."""
    return is_luhn(digits[-10:])


def is_resident_identity(number: str) -> bool:
    """China: contains a date of birth, and its last character may be X."""
    if not ("1900" <= number[6:10] <= "2099" and "01" <= number[10:12] <= "12" and "01" <= number[12:14] <= "31"):
        return False
    weighed = sum(int(digit) * 2 ** (17 - place) for place, digit in enumerate(number[:17]))
    return "10X98765432"[weighed % 11] == number[17].upper()


def is_nhs_number(digits: str) -> bool:
    """England's health service."""
    remainder = 11 - sum(int(digit) * (10 - place) for place, digit in enumerate(digits[:9])) % 11
    return remainder % 11 == int(digits[9]) and remainder != 10
