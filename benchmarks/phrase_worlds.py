"""Makes up users who correct and praise in their own words: a month of sessions each, with what is planted in it.

How often which sign happens around corrections and around other turns was counted in real sessions: see `AROUND`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

from wisen.domain.events import Origin, Status
from wisen.domain.histories import Act, History, Step, Turn
from wisen.domain.signals import SignalKind

DAYS = 30
AROUND = {
    "correction": {"conceded": 0.45, "undone": 0.28, "refused": 0.17, "stopped": 0.09},
    "other": {"conceded": 0.05, "undone": 0.08, "refused": 0.02, "stopped": 0.035},
}
"""How often a sign happens around a turn, by what the turn is."""
PRAISED = {"committed": 0.35, "ended": 0.3, "thanked": 0.25}
"""What follows praise, one of them at most; the rest of it is followed by the next wish."""
OUTSIDE = 0.12
"""In which share of the turns with his phrase a user means nothing by it."""
_BEGAN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


class Speech(NamedTuple):
    """How users of one language talk."""

    wishes: tuple[str, ...]
    """With places for a thing and a part of it."""
    things: tuple[str, ...]
    parts: tuple[str, ...]
    complaints: tuple[str, ...]
    """Shorter ones."""
    rest: tuple[str, ...]
    """What is neither wish nor feedback."""
    thanks: tuple[str, ...]
    corrections: tuple[str, ...]
    """Phrases that may be planted."""
    praise: tuple[str, ...]
    gap: str = ", "
    """What stands between a phrase and what follows it."""


SPEECHES = {
    "english": Speech(
        wishes=(
            "add a {part} to the {thing}", "make the {thing} show the {part}", "move the {part} of the {thing} into its own module",
            "write a test for the {part} of the {thing}", "can you look at how the {thing} loads its {part}", "rename the {part} in the {thing}",
            "let the {thing} keep the {part} between runs", "the {thing} needs a {part} before the release", "use the {part} of the {thing} for the {thing2}",
            "cache what the {thing} reads from the {part}", "now do the same for the {part} of the {thing2}", "show me the {part} of the {thing}",
            "sort the {thing} by its {part}", "split the {thing} and keep the {part} where it is",
        ),
        things=("invoice page", "login form", "importer", "job queue", "billing service", "search index", "report", "mail template", "settings dialog", "order list", "upload", "scheduler", "price table", "chat window", "audit log", "map view"),
        parts=("header", "button", "date filter", "cache", "retry loop", "error text", "currency", "tooltip", "parser", "index", "timeout", "icon", "footer", "column", "session token", "color"),
        complaints=("the {part} should sit in the {thing}", "it was the {thing2} that i meant", "the {part} had to stay where it was", "only the {part}", "look at the {thing} once more", "there were two of the {part} before"),
        rest=("go on", "run the tests", "yes", "the second one", "what does the {part} do", "commit it", "push", "let us do the {thing} tomorrow", "continue with the {thing}", "and the {part}", "ok do it", "start with the {thing}"),
        thanks=("great work", "perfect, thank you"),
        corrections=("tss", "back to the drawing board", "grmpf", "oh come on", "cold soup", "my grandmother codes better", "meh", "nice try buddy", "wrong planet", "bzzt"),
        praise=("chef's kiss", "boom", "that slaps", "gold star", "tip top", "ship shape"),
    ),
    "german": Speech(
        wishes=(
            "bau einen {part} in die {thing} ein", "die {thing} soll den {part} zeigen", "schreib einen test für den {part} der {thing}", "schieb den {part} aus der {thing} in ein eigenes modul",
            "kannst du mal schauen wie die {thing} den {part} lädt", "nimm den {part} der {thing} auch für die {thing2}", "benenne den {part} in der {thing} um",
            "mach dasselbe für den {part} der {thing2}", "sortiere die {thing} nach dem {part}", "zeig mir den {part} der {thing}", "die {thing} braucht einen {part} vor dem release",
        ),
        things=("rechnungsseite", "anmeldung", "warteschlange", "suche", "bestellliste", "preistabelle", "karte", "mailvorlage", "auswertung", "protokollansicht", "einstellungsseite", "schnittstelle"),
        parts=("knopf", "filter", "zwischenspeicher", "fehlertext", "kopfbereich", "zeitstempel", "parser", "index", "rand", "hinweis", "schlüssel", "zähler"),
        complaints=("der {part} gehört in die {thing}", "gemeint war die {thing2}", "der {part} war vorher da", "nur den {part}", "schau dir die {thing} nochmal an"),
        rest=("weiter", "lass die tests laufen", "ja", "die zweite", "was macht der {part}", "einchecken bitte", "morgen machen wir die {thing}", "und der {part}", "fang mit der {thing} an", "mach das"),
        thanks=("great work", "perfect"),
        corrections=("das ist käse", "nee du", "so ein quatsch", "tss", "auweia", "das ist quark mit soße", "hömma", "setzen sechs"),
        praise=("läuft bei dir", "erste sahne", "bombe", "sitzt wackelt und hat luft"),
    ),
    "chinese": Speech(
        wishes=("给{thing}加一个{part}", "把{thing}的{part}移到单独的模块", "为{thing}的{part}写测试", "看看{thing}怎么加载{part}", "让{thing}显示{part}", "重命名{thing}里的{part}", "{thing2}也用这个{part}", "按{part}给{thing}排序", "先处理{thing}再处理{part}"),
        things=("发票页面", "登录表单", "任务队列", "搜索索引", "订单列表", "价格表", "邮件模板", "设置窗口", "地图视图", "审计日志"),
        parts=("按钮", "过滤器", "缓存", "错误提示", "标题栏", "时间戳", "解析器", "超时", "图标", "计数器"),
        complaints=("{part}应该放在{thing}里", "我说的是{thing2}", "{part}原来就有", "只要{part}"),
        rest=("继续", "运行测试", "好", "第二个", "{part}是做什么的", "提交", "明天做{thing}", "从{thing}开始"),
        thanks=("great work", "perfect"),
        corrections=("不行啊", "搞什么鬼", "哎呀妈呀", "差得远", "瞎搞"),
        praise=("绝了", "牛啊", "稳了"),
        gap="，",
    ),
    "spanish": Speech(
        wishes=("añade un {part} a la {thing}", "que la {thing} muestre el {part}", "escribe una prueba para el {part} de la {thing}", "mueve el {part} de la {thing} a su propio módulo", "mira cómo la {thing} carga el {part}", "renombra el {part} en la {thing}", "usa el {part} de la {thing} para la {thing2}", "ordena la {thing} por el {part}", "haz lo mismo con el {part} de la {thing2}"),
        things=("página de facturas", "pantalla de acceso", "cola de tareas", "búsqueda", "lista de pedidos", "tabla de precios", "plantilla de correo", "vista del mapa", "bitácora", "agenda"),
        parts=("botón", "filtro", "caché", "aviso", "encabezado", "contador", "analizador", "icono", "margen", "índice"),
        complaints=("el {part} va en la {thing}", "hablaba de la {thing2}", "el {part} ya estaba", "solo el {part}"),
        rest=("sigue", "corre las pruebas", "sí", "la segunda", "qué hace el {part}", "haz el commit", "mañana hacemos la {thing}", "empieza con la {thing}"),
        thanks=("great work", "perfect"),
        corrections=("vaya tela", "ni de broma", "ay madre", "menudo churro", "pfff"),
        praise=("de lujo", "canela fina", "toma ya"),
    ),
}  # fmt: skip


class World(NamedTuple):
    """A user: what was planted, and what he typed in a month."""

    language: str
    planted: dict[str, SignalKind]
    histories: tuple[History, ...]


def world(seed: int, *, planted: bool = True, language: str | None = None, days: int = DAYS) -> World:
    """One user by his number; the same number is the same user."""
    random = Random(seed)
    name = language or sorted(SPEECHES)[seed % len(SPEECHES)]
    return _Maker(random, name, planted=planted).made(days)


class _Maker:
    def __init__(self, random: Random, language: str, *, planted: bool) -> None:
        self._random, self._language, self._speech = random, language, SPEECHES[language]
        self._corrections = random.sample(self._speech.corrections, random.choice((1, 2))) if planted else []
        self._praise = random.sample(self._speech.praise, 1) if planted else []
        self._projects = [f"project-{number}" for number in range(random.choice((1, 2, 3)))]
        self._idle: list[str] = []
        """What he will say next without meaning it."""
        self._pace = random.uniform(2.0, 4.5)
        """Sessions a day."""
        self._words = (*self._speech.wishes, *self._speech.wishes, *self._speech.complaints, *self._speech.rest)
        self._uses = {each: random.uniform(0.1, 0.2) for each in self._corrections}
        """In which share of his corrections he says it."""

    def made(self, days: int) -> World:
        histories: list[History] = []
        for day in range(days):
            for number in range(max(1, round(self._random.gauss(self._pace, 1)))):
                at = _BEGAN + timedelta(days=day, hours=2 * number)
                histories.append(self._session(len(histories) + 1, at))
        planted = dict.fromkeys(self._corrections, SignalKind.CORRECTION)
        return World(self._language, planted | dict.fromkeys(self._praise, SignalKind.PRAISE), tuple(histories))

    def _session(self, number: int, at: datetime) -> History:
        course = _Course(number, at, self._random.choice(self._projects))
        hard = self._random.uniform(0.5, 1.6)
        """Some tasks are harder than others: there is more to correct."""
        for _ in range(self._random.randint(3, 10)):
            things = self._random.sample(self._speech.things, 2)
            wish = self._filled(self._random.choice(self._words), things)
            self._turn(course, wish, "other")
            while self._random.random() < 0.25 * hard:
                self._turn(course, self._correction(things), "correction")
            if self._random.random() < 0.12 and self._praised(course, things):
                break
            if self._random.random() < 0.35:
                self._turn(course, self._filled(self._random.choice(self._speech.rest), things), "other")
        return course.done()

    def _correction(self, things: list[str]) -> str:
        # They sound like any wish: only what is around them tells.
        complaint = self._filled(self._random.choice(self._words), things)
        phrase = next((each for each, share in self._uses.items() if self._random.random() < share), "")
        if phrase:
            self._said(phrase)
            return self._random.choice((phrase, f"{phrase}{self._speech.gap}{complaint}", f"{phrase} {complaint}"))
        return complaint

    def _said(self, phrase: str) -> str:
        """Note that it was said: now and then he says it again where he means nothing by it."""
        if self._random.random() < OUTSIDE / (1 - OUTSIDE):
            self._idle.append(phrase)
        return phrase

    def _praised(self, course: _Course, things: list[str]) -> bool:
        """Praise, and what follows it; whether the session ends with it."""
        course.edit()
        if self._praise and self._random.random() < 0.5:
            course.say(self._said(self._random.choice(self._praise)))
        else:
            words = self._speech.thanks if self._random.random() < 0.5 else self._words
            course.say(self._filled(self._random.choice(words), things))
        drawn, so_far = self._random.random(), 0.0
        for follows, share in PRAISED.items():
            so_far += share
            if drawn < so_far:
                break
        else:
            return False
        if follows == "committed":
            course.call("Bash", command="git commit -m done")
        elif follows == "thanked":
            course.say(self._random.choice(self._speech.thanks))
        return follows == "ended"

    def _turn(self, course: _Course, text: str, what: str) -> None:
        around = {sign for sign, share in AROUND[what].items() if self._random.random() < share}
        if what == "other" and self._idle:
            text = f"{self._idle.pop()} {text}"
        if "refused" in around:
            course.act(Act.REFUSED)
        elif "stopped" in around:
            course.act(Act.STOPPED)
        course.say(text, conceded="conceded" in around)
        if "undone" in around:
            course.edit(again=True)
        for _ in range(self._random.randint(0, 2)):
            course.edit()
        if "commit" in text or "einchecken" in text or "提交" in text:
            course.call("Bash", command="git commit -m done")

    def _filled(self, text: str, things: list[str]) -> str:
        return text.format(thing=things[0], thing2=things[1], part=self._random.choice(self._speech.parts))


class _Course:
    """A session while it is made."""

    def __init__(self, number: int, at: datetime, context: str) -> None:
        self._number, self._at, self._context = number, at, context
        self._steps: list[Step] = []
        self._turns: list[Turn] = []
        self._file = 0

    def say(self, text: str, *, conceded: bool = False) -> None:
        self._turn(Act.SAID, text, origin=Origin.PROMPT.value, conceded=conceded)

    def act(self, act: Act) -> None:
        self._turn(act, None)

    def edit(self, *, again: bool = False) -> None:
        self._file += not again
        self.call("Edit", file_path=f"src/part{self._file}.py")

    def call(self, tool: str, **arguments: str) -> None:
        self._at += timedelta(seconds=20)
        name = f"{self._number}-c{len(self._steps)}"
        self._steps.append(
            Step(call=name, tool=tool, arguments=json.dumps(arguments), status=Status.OK, text=None, at=self._at)
        )

    def done(self) -> History:
        native, steps, turns = f"session-{self._number}", tuple(self._steps), tuple(self._turns)
        return History(session=self._number, agent="made-up", native=native, steps=steps, turns=turns)

    def _turn(self, act: Act, text: str | None, *, origin: str = "", conceded: bool = False) -> None:
        self._at += timedelta(seconds=40)
        self._turns.append(
            Turn(
                id=f"{self._number}-t{len(self._turns)}",
                act=act,
                at=self._at,
                text=text,
                before=len(self._steps),
                origin=origin,
                conceded=conceded,
                context=self._context,
            )
        )
