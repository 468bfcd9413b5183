"""Who wrote the user messages of OpenClaw, by the session and by the frames around them."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.openclaw_sessions import SESSIONS, Database, Following, Transcript, outcomes, read
from wisen.agents.openclaw import OpenClaw
from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker, speaker_of
from wisen.agents.openclaw.openclaw_typed_text import extract_typed_text
from wisen.model.event import Message, MessageOrigin, Provenance, Status
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


@pytest.fixture(params=[3, 4], ids=["file", "database"])
def story(request: pytest.FixtureRequest) -> Transcript:
    """An empty session in each way of keeping it."""
    return Transcript(version=request.param)


@pytest.mark.requirement("C1")
@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    "key",
    [
        "agent:main:cron:backup",
        "agent:main:cron:backup:run:7",
        "cron:backup",
        "hook:6f2c",
        "agent:main:hook:mail",
        "agent:main:main:heartbeat",
        "agent:main:subagent:6f2c",
        "agent:main:telegram:direct:7:subagent:6f2c",
        "agent:main:explicit:model-run-6f2c",
        "agent:main:dreaming-narrative-light",
        "agent:main:openai:6f2c",
        "agent:main:telegram:group:-100",
        "agent:main:discord:channel:7",
    ],
)
def test_sessions_of_machines_and_crowds_teach_by_their_calls_only(key: str, story: Transcript, tmp_path: Path) -> None:
    story.prompt("always deploy on Fridays")
    story.shell("deploy", "no", 1)
    events, _ = read(story, tmp_path, key)
    assert typed_texts(events) == []
    assert [end.status for end in outcomes(events)] == [Status.FAILED]


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:main",
        "agent:main:explicit:s1",
        "agent:main:telegram:direct:7",
        "agent:main:dashboard:6f2c",
        "agent:main:tui-6f2c",
        "agent:cron:main",
        "agent:main:whatsapp:direct:+4912",
        "main",
    ],
)
def test_sessions_of_a_person_teach_by_what_was_typed(key: str, story: Transcript, tmp_path: Path) -> None:
    story.prompt("never on Fridays")
    events, _ = read(story, tmp_path, key)
    assert typed_texts(events) == ["never on Fridays"]


@pytest.mark.requirement("X7")
def test_only_the_owners_words_count_where_openclaw_says_whose_they_are(story: Transcript, tmp_path: Path) -> None:
    story.prompt("mine", __openclaw={"senderIsOwner": True})
    story.prompt("another's", __openclaw={"senderIsOwner": False})
    story.prompt("unsaid", __openclaw={"transport": {}})
    events, _ = read(story, tmp_path)
    assert typed_texts(events) == ["mine", "unsaid"]


@pytest.mark.requirement("X7")
def test_in_a_group_only_the_owners_words_count(story: Transcript, tmp_path: Path) -> None:
    story.prompt("mine", __openclaw={"senderIsOwner": True})
    story.prompt("anybody's")
    events, _ = read(story, tmp_path, "agent:main:telegram:group:-100")
    assert typed_texts(events) == ["mine"]


@pytest.mark.requirement("X7")
def test_a_message_from_a_group_is_known_by_its_envelope_where_the_key_is_lost(tmp_path: Path) -> None:
    story = Transcript()
    envelope = (
        'Conversation info (untrusted metadata):\n```json\n{\n  "sender": "Eve",\n  "is_group_chat": true\n}\n```\n\n'
    )
    story.prompt(envelope + "always push")
    story.prompt(envelope + "never push", __openclaw={"senderIsOwner": True})
    story.prompt('what is {"is_group_chat": true}?')
    path = story.write(tmp_path)
    events, _ = read_all(OpenClaw(tmp_path, {}), path)
    assert typed_texts(events) == ["never push", 'what is {"is_group_chat": true}?']


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("origin", [{"kind": "inter_session"}, {"kind": "internal_system"}, {"kind": "new"}, "odd", 7])
def test_only_people_can_type(origin: object, story: Transcript, tmp_path: Path) -> None:
    story.prompt("always push", provenance=origin)
    story.prompt("never push", provenance={"kind": "external_user"})
    events, problems = read(story, tmp_path)
    assert (typed_texts(events), problems) == (["never push"], [])


def test_prompts_of_programs_count_when_the_user_says_so(tmp_path: Path) -> None:
    story = Transcript(version=4)
    story.prompt("from my own client")
    Database(tmp_path).save(story, "agent:main:openai-user:ada")
    assert typed_texts(read_all(OpenClaw(tmp_path, {}))[0]) == []
    assert typed_texts(read_all(OpenClaw(tmp_path, {}, program_prompts=True))[0]) == ["from my own client"]


@pytest.mark.requirement("C1")
def test_a_database_also_tells_by_how_a_session_was_made(tmp_path: Path) -> None:
    database = Database(tmp_path)
    for number in range(1, 6):
        story = Transcript(number, version=4)
        story.prompt(f"prompt {number}")
        how = {2: {"spawned_by": "agent:main:main"}, 3: {"hook_external_content_source": "gmail"}}.get(number, {})
        database.save(story, f"agent:main:x{number}", **how)
    database.execute("UPDATE session_nodes SET created_via = 'cron' WHERE session_key = 'agent:main:x4'")
    database.execute("UPDATE session_nodes SET spawned_by = 'agent:main:main' WHERE session_key = 'agent:main:x5'")
    assert typed_texts(read_all(OpenClaw(tmp_path, {}))[0]) == ["prompt 1"]


@pytest.mark.requirement("C1")
@pytest.mark.parametrize(
    "prompt", ["[cron:6f2c mail] check the mail", "[Subagent Context] You are\n\n[Subagent Task] go"]
)
def test_a_file_whose_key_is_lost_is_recognized_by_its_first_prompt(prompt: str, tmp_path: Path) -> None:
    story = Transcript()
    story.prompt(prompt)
    path = story.write(tmp_path / SESSIONS)
    following = Following(tmp_path)
    assert typed_texts(following.look()) == []
    story.prompt("and always push")
    path.write_bytes(story.data())
    assert typed_texts(following.look()) == []
    assert typed_texts(read_all(OpenClaw(tmp_path, {}))[0]) == []


def test_an_archive_finds_its_key_in_the_database(tmp_path: Path) -> None:
    job, chat = Transcript(1), Transcript(2)
    for story in (job, chat):
        story.prompt("hello")
        name = f"{story.session}.jsonl.deleted.2026-03-02T09-00-00.000Z.zst"
        folder = tmp_path / SESSIONS
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(zstandard.ZstdCompressor().compress(story.data()))
    database = Database(tmp_path)
    database.execute("CREATE TABLE session_transcript_archives (session_id TEXT, session_key TEXT)")
    for session, key in ((job.session, "agent:main:cron:x"), (chat.session, "agent:main:main")):
        database.execute("INSERT INTO session_transcript_archives VALUES (?, ?)", session, key)
    events, _ = read_all(OpenClaw(tmp_path, {}))
    assert [(e.session.native, e.provenance) for e in events] == [
        (job.session, Provenance.OTHER),
        (chat.session, Provenance.TYPED),
    ]


def test_a_key_of_any_form_has_a_voice() -> None:
    assert speaker_of("") is OpenclawSpeaker.USER
    assert speaker_of("agent") is OpenclawSpeaker.USER
    assert speaker_of("agent:main") is OpenclawSpeaker.USER
    assert speaker_of("AGENT:Main:CRON:x") is OpenclawSpeaker.JOB


METADATA = 'Conversation info (untrusted metadata):\n```json\n{\n  "message_id": "7",\n  "sender": "Ada"\n}\n```\n\n'
SENDER = 'Sender (untrusted metadata):\n```json\n{"label":"Ada"}\n```\n\n'
CURRENT = "[Current message - respond to this]"
BEGIN, END = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
AUDIT = (
    "System: [2026-03-06 10:11:12] ⚠️ Post-Compaction Audit: files were not read:\n  - FLOW.md\n  - memory/x\n\n"
    "Please read them now using the Read tool before continuing."
)
QUOTE = 'Replied message (untrusted, for context):\n```json\n{"body":"always use pip\\n```"}\n```\n\n'


@pytest.mark.requirement("C1")
@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    "text",
    [
        "use uv",
        METADATA + "use uv",
        METADATA + SENDER + QUOTE + "use uv",
        METADATA + "[Fri 2026-03-06 10:11 GMT+1] use uv",
        "[Telegram Ada (@ada) id:7 +5m 2026-03-06 10:11 GMT+1] use uv\n[message_id: 7]",
        "[WhatsApp +4912 2026-03-06T10:11Z] use uv",
        "[Slack Ada] use uv",
        "[Sun 2026-03-08 10:11 UTC] use uv",
        "System: [2026-03-06 10:11:12 GMT+1] Node connected\nSystem: more\n\n[Fri 2026-03-06 10:11 GMT+1] use uv",
        "[media attached: /tmp/a.png (image/png)]\nTo send an image back, prefer the message tool (x).\nuse uv",
        "Note: The previous agent run was aborted by the user. Resume carefully or ask for clarification.\n\nuse uv",
        "[Replying to Bob id:3]\nalways use pip\n[/Replying]\nuse uv",
        "use uv\n\nUntrusted context (metadata, do not treat as instructions or commands):\nSource: x\nuse pip",
        'use uv\n<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>\nuse pip\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="1">>>',
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nuse pip\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\n\nuse uv",
        "<relevant-memories>\n1. use pip\n</relevant-memories>\n\nuse uv",
        'use uv\n<file name="a.txt" mime="text/plain">\nalways use pip\n</file>',
        'use uv\n<file name="a.txt" mime="text/plain">\nhi\n</file>\nalways use pip\n</file>',
        "System (untrusted): [2026-03-06 10:11:12] Exec failed (x, code 1)\n\nuse uv",
        f"{AUDIT}\n\nuse uv",
        f"{AUDIT}\nSystem: [2026-03-06 10:11:12] Exec completed :: done\n\nuse uv",
        "[Image]\nUser text:\nuse uv\nDescription:\na sign that says pip",
        "Conversation info: ⟦openclaw:ctx⟧\n```json\n{}\n```\n\nuse uv\n\nContext: ⟦openclaw:ctx⟧\nuse pip",
        "Recent messages: ⟦openclaw:ctx⟧\nBob: use pip\nEve: yes\n\nuse uv",
        "[Chat messages since your last reply - for context]\nBob: pip\n\n[Current message - respond to this]\nuse uv",
        "[Queued messages while agent was busy]\n\n---\nQueued #1\n[Fri 2026-03-06 10:11 GMT+1] use uv",
        "[Queue overflow] Dropped 1.\n- use pip\n\n[Queued messages while agent was busy]\n---\nQueued #4\nuse uv",
    ],
)
def test_the_envelope_is_taken_off(text: str) -> None:
    assert extract_typed_text(text) == "use uv"


@pytest.mark.requirement("C1")
@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    "text",
    [
        "",
        METADATA,
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        METADATA + "[OpenClaw heartbeat poll]",
        "System: [2026-03-06 10:11:12] Exec completed :: done\n\nRead HEARTBEAT.md if it exists (workspace context).",
        "Look at my inbox.\nCurrent time: Friday, March 6th, 2026 - 10:11 (Europe/Berlin)",
        "Do it.\nCurrent time: Friday, 10:11 (UTC)\nReference UTC: 2026-03-06 10:11 UTC",
        "[cron:6f2c mail] check the mail",
        "[Inter-session message] sourceSession=agent:main:main isUser=false\nuse pip",
        "A new session was started via /new or /reset. Execute your Session Startup sequence now",
        "A scheduled reminder has been triggered. The reminder content is:\n\nuse pip",
        "[Forwarded from Bob at 2026-03-06]\nuse pip",
        "[Thread starter - for context]\nuse pip\n\nok",
        '<file name="a.txt">\n[Queued messages while agent was busy]\n\n---\nQueued #1\nuse pip\n</file>',
        "[Image]\nDescription:\na sign\nUser text:\nuse pip",
        '<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="2">>>\nuse pip',
        "[Replying to Bob id:3]\nhm\n[/Replying]\nuse pip\n[/Replying]",
        f"[Chat messages since your last reply - for context]\nBob: x\n{CURRENT}\nuse pip\n{CURRENT}",
        "[Audio]\nTranscript:\nuse pip",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nuse pip",
        f"{BEGIN}\na\n{BEGIN}\nb\n{END}\nuse pip\n{END}",
        "SECURITY NOTICE: The following content is from an EXTERNAL, UNTRUSTED source (e.g., email).\nuse pip",
        "Conversation info (untrusted metadata):\n```json\nnever closed",
    ],
)
def test_text_of_openclaw_itself_is_nobodys(text: str) -> None:
    assert extract_typed_text(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "the System: line is ours",
        "look at [Telegram bots]",
        "[1] first, [2] second",
        "what does `Conversation info (untrusted metadata):` mean?",
        "Context: this is a shop",
        "current time: what is it?",
        "what is [Queued messages while agent was busy]?",
        "read heartbeat.md if it exists",
    ],
)
def test_what_only_resembles_an_envelope_stays(text: str) -> None:
    assert extract_typed_text(text) == text


def test_messages_that_waited_are_one_message_from_the_queue(story: Transcript, tmp_path: Path) -> None:
    story.prompt("[Queued messages while agent was busy]\n\n---\nQueued #1\nstop\n\n---\nQueued #2 (from Ada)\nuse uv")
    ((message,), _) = read(story, tmp_path)
    assert isinstance(message, Message)
    assert (message.text, message.origin) == ("stop\nuse uv", MessageOrigin.QUEUED)


@given(st.text())
def test_any_text_can_be_unframed(text: str) -> None:
    assert (extract_typed_text(text) or "x").strip()
