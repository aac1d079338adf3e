"""Forty questions whose answers are known, and 2,000 made-up sessions that hold the answers.

Each answer is one message of one session. Around it are decoys that share some of its words:
words apart in different messages, in names and directories, in results of tools, or in another
order. The other sessions are conversations about the same trades. Everything follows from a seed.
"""

from __future__ import annotations

import json
import os
import random
import re
import unicodedata
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import attrs

SESSIONS = 2_000
SEED = 40
END = datetime(2026, 11, 1, 12, tzinfo=UTC)
"""The time of the newest possible message; fixed, so that files are the same on every day."""


@attrs.frozen
class Question:
    """A query as a person types it, and the message that answers it."""

    query: str
    answer: str
    """The text of the only message that answers the query; it has all words."""

    rival: str = ""
    """A message of another session with all words, in another order and far apart."""

    rival_is_newer: bool = False
    """Whether the rival is newer than the answer, so that recency speaks for the rival."""

    title: str = ""
    """The name of another session, with some of the words; its messages have the others."""

    @property
    def terms(self) -> list[str]:
        """The words and quoted phrases of the query."""
        return [phrase or word for phrase, word in re.findall(r'"([^"]+)"|(\S+)', self.query)]


QUESTIONS = [
    # Databases
    Question(
        "pool exhausted checkout",
        "The pool is exhausted because the checkout opens a second connection inside its "
        "transaction. With ten workers nobody gets the second one. Pass the open connection on.",
        rival="At the checkout of the motor pool page I left the button grey. The loop over the "
        "vehicles ends when the iterator is exhausted, so there is no need for a sentinel.",
        title="Checkout asks twice for the address",
    ),
    Question(
        '"database is locked" wal',
        "SQLite says 'database is locked' since two processes write at once. I switched the file "
        "to WAL and set busy_timeout to 5000; the error is gone after 40 runs.",
    ),
    Question(
        "migrat lock timeout",
        "Before each migration we now run SET lock_timeout = '3s', so that a long query no longer "
        "makes all others wait for the ALTER TABLE.",
        title="Timeout of the health check",
    ),
    Question(
        "deadlock invoices advisory",
        "The deadlock is between the nightly run and the API: both update invoices in a different "
        "order. An advisory lock per customer removes it.",
    ),
    Question(
        "idx_orders_created_at bloat",
        "REINDEX CONCURRENTLY idx_orders_created_at took 6 minutes. The bloat fell from 71 % to "
        "2 %, and the report is as fast as in spring.",
    ),
    Question(
        "fetchUserById n+1",
        "It is an n+1 query: the resolver calls fetchUserById once for each comment. A loader "
        "that collects the ids of one tick makes it two queries.",
    ),
    Question(
        "pagination cursor duplicates",
        "The cursor holds only the date. Two rows of the same second fall on both sides, hence "
        "the duplicates. Pagination must compare (created, id) as a pair.",
        rival="Move the mouse cursor over the table and the tooltip stays. By the way, the list "
        "of tags has duplicates since the import, and the pagination below it is misaligned.",
        rival_is_newer=True,
    ),
    # Continuous integration and builds
    Question(
        "econnrefused redis ci",
        "In CI the tests start before Redis listens: connect ECONNREFUSED 127.0.0.1:6379. A "
        "health check on the service container makes the job wait.",
    ),
    Question(
        "github actions cache poisoned",
        "The GitHub Actions cache was poisoned by a pull request that saved node_modules under "
        "the key of main. Key it by the lock file and restrict saving to main.",
        title="GitHub stars in the footer",
    ),
    Question(
        "flaky test clock midnight",
        "This test is flaky around midnight only: it reads the clock twice, and the second date "
        "may be tomorrow's. I freeze the time at noon.",
        title="Flaky upload of screenshots",
    ),
    Question(
        "docker layer npm ci slow",
        "`npm ci` is slow because COPY . . comes before it, so every change invalidates the "
        "Docker layer. Copy package.json and the lock file first.",
    ),
    Question(
        "tsconfig.build.json paths",
        "The editor resolves @app/* and the build does not, because tsconfig.build.json overrides "
        "`paths` with an empty object. Remove the line there.",
    ),
    Question(
        "makefile tabs separator",
        "`Makefile:12: *** missing separator.  Stop.` My formatter replaced tabs by eight spaces. "
        "An .editorconfig section for it keeps them.",
    ),
    Question(
        "release notes 4.2.0-rc3",
        "In the release notes of 4.2.0-rc3 the section on removed options is missing; the script "
        "dropped every commit whose subject has an exclamation mark.",
    ),
    # Pages and styles
    Question(
        "sticky header z-index safari",
        "In Safari the sticky header slides under the map: the transform on the parent starts a "
        "new stacking context, so z-index 1000 means nothing outside. Move the transform.",
    ),
    Question(
        "flexbox overflow ellipsis",
        "An ellipsis in a flexbox child needs min-width: 0, otherwise the item grows with its "
        "text and overflow is never clipped.",
        rival="The tooltip ends with an ellipsis character that the translators typed. I also "
        "removed a flexbox hack for old browsers, and the integer overflow warning is silenced.",
        rival_is_newer=True,
    ),
    Question(
        "feature flag dark mode",
        "Put the dark theme behind a feature flag: mode `auto` for 5 % of the visitors, `light` "
        "for all others, and a kill switch in the console.",
        title="Dark screenshots for the manual",
    ),
    Question(
        "größe bilder upload",
        "Beim Upload werden Bilder erst nach dem Speichern verkleinert, daher die Größe von 12 MB "
        "im Bucket. Ich skaliere sie jetzt vorher im Browser.",
    ),
    Question(
        "Überlauf ganzzahl",
        "Der Überlauf entsteht beim Multiplizieren: eine 32-bit-Ganzzahl reicht für Cent mal "
        "Menge nicht. Mit 64 Bit stimmt die Summe.",
    ),
    Question(
        "résumé download 404",
        "The download of a résumé returns 404 if its name has an accent: the link is encoded in "
        "Latin-1 and the bucket expects UTF-8.",
    ),
    Question(
        "zurich timezone offset",
        "Customers in Zürich saw yesterday's prices between 0:00 and 2:00, because the timezone "
        "offset was added instead of subtracted.",
    ),
    # Parsers
    Question(
        "pratt precedence unary minus",
        "In a Pratt parser give unary minus a binding power above multiplication and below the "
        "power operator; with equal precedence -2 ** 2 became 4.",
    ),
    Question(
        "lexer utf-8 bom",
        "The first token was wrong since the file starts with a BOM. The lexer now decodes with "
        "utf-8-sig and columns count from zero again.",
    ),
    Question(
        "ParserError line 4012",
        "pandas stops with ParserError: Expected 9 fields in line 4012, saw 10. The address there "
        "has a semicolon and no quotes. I quote it in the export.",
    ),
    Question(
        "unicode normaliz filename macos",
        "The filename comes from macOS in NFD, our manifest has NFC. Compare both after unicode "
        "normalization, or 'é' never equals 'é'.",
    ),
    Question(
        "regex backtracking email hangs",
        "The server hangs on a long email address without @: the regex has nested quantifiers, "
        "and backtracking doubles with every character.",
        rival="We print hangs of the main thread in the log. A regex finds them, and an email "
        "goes to the team; no backtracking to older versions of the app is necessary.",
    ),
    # Deployments
    Question(
        "helm rollback 502",
        "After `helm rollback shop 41` the ingress answered 502 for a minute, as the old replica "
        "set had been scaled to zero. Use --wait.",
    ),
    Question(
        "OOMKilled sidecar istio",
        "Not our container is OOMKilled, but the istio sidecar: it keeps the configuration of all "
        "namespaces. A Sidecar resource limits it to ours.",
    ),
    Question(
        "terraform state lock dynamodb",
        "A cancelled job left the lock behind. I read its id from the DynamoDB table, checked "
        "that nobody runs, and released the Terraform state with force-unlock.",
        title="State of the migration",
    ),
    Question(
        "SIGTERM drain readiness",
        "On SIGTERM fail the readiness probe first, wait ten seconds for the balancer, then drain "
        "the open requests and exit.",
    ),
    Question(
        "cron dst twice",
        "On the last Sunday of October the invoices went out twice: with DST ending, cron in "
        "local time ran the 2:30 job again. It runs in UTC now.",
        title="Cron for the sitemap",
    ),
    Question(
        "segfault libvips alpine",
        "The segfault comes from libvips on Alpine: musl gives threads a stack of 128 kB. With the "
        "Debian image the same picture works.",
    ),
    # Services and security
    Question(
        "oauth redirect_uri mismatch",
        "The OAuth provider compares strings: our redirect_uri ends with a slash and the "
        "registered one does not, hence the mismatch.",
    ),
    Question(
        "jwt clock skew",
        "A JWT that was issued a second ago was refused on node 3, whose clock is 4 s behind. Allow "
        "a skew of 30 s when verifying nbf and iat.",
        rival="The clock in the corner of the dashboard looks askew on small screens. While I was "
        "there I replaced the icon for the JWT debugger.",
        rival_is_newer=True,
    ),
    Question(
        "CORS preflight credentials",
        "With credentials the CORS preflight must name the origin; a star in "
        "Access-Control-Allow-Origin is refused by every browser.",
    ),
    Question(
        "webhook signature raw body",
        "Verify the signature of the webhook over the raw body. Once the JSON middleware has "
        "parsed it, the bytes are others and the digest never fits.",
    ),
    Question(
        '"cannot read properties of undefined" cart',
        "TypeError: Cannot read properties of undefined (reading 'total') is thrown on an empty "
        "cart, because the reducer returns nothing for CLEAR.",
    ),
    Question(
        "EventEmitter leak listeners",
        "MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 11 close "
        "listeners added to [Socket]. We subscribe on each retry and never unsubscribe.",
        title="Leak in the roof of the simulation",
    ),
    Question(
        "rate limit backoff jitter",
        "All clients retried at the same second after the rate limit was lifted. Full jitter on "
        "the exponential backoff spreads them.",
        rival="There is jitter in the animation, which you may limit with a filter. The frame "
        "rate is fine. I would not make the player backoff from 60 Hz.",
        rival_is_newer=True,
    ),
    Question(
        "CVE-2026-31337 lodash",
        "The audit fails on CVE-2026-31337. It reaches us through an old lodash of the chart "
        "library; an override in package.json is enough until they publish.",
    ),
]

# Sentences about one trade each. Names in braces are drawn from SLOTS.
TRADES = [
    [
        "The query on {table} reads every row, so I want to see its plan.",
        "I added a column {column} to {table} and filled it in batches of {n}.",
        "The migration of {table} ran for {n} ms on a copy of production.",
        "Our database has {n} connections, and half of them are idle.",
        "Could you write a migration that splits {table} in two?",
        "A foreign key from {table} to users was missing, hence the orphans.",
        "EXPLAIN estimates {n} rows for {table}; there are really 12.",
        "The transaction in {file} stays open while the mail is sent.",
        "I restored last night's backup of {table} and counted {n} rows.",
        "Should {column} be nullable? Old clients do not send it.",
    ],
    [
        "The build is red on main since the commit of {person}.",
        "Step {n} of the workflow fails: {file} is not there.",
        "I split the test job in four, and CI takes six minutes now.",
        "The cache of the runner is restored, but its key has the wrong hash.",
        "Please run the tests of {module} only when it changes.",
        "Docker pulls the base image each time, since the tag moves.",
        "The release job waits for an approval of {person}.",
        "Coverage of {module} fell by 2 %, so the check is red.",
        "I pinned the actions by their commits and sorted {file}.",
        "This test is slow: {function} sleeps for {n} ms.",
    ],
    [
        "The button in {file} is two pixels too low on small screens.",
        "I replaced the float by a grid with {n} columns.",
        "The header wraps on phones, as its title is too long.",
        "Could the colours of {module} follow the theme of the system?",
        "A margin collapses between the card and the footer.",
        "The font loads late, and the page jumps by {n} px.",
        "On hover the menu of {module} flickers in Firefox.",
        "I moved the colours to variables, so light and contrast modes share a sheet.",
        "The icon has no label, which the audit complains about.",
        "The picture is uploaded at full width and shown at {n} px.",
    ],
    [
        "The parser accepts a trailing comma in {module}, and it should not.",
        "I wrote the grammar of {module} with one function per rule.",
        "The error names the wrong line when a string spans several.",
        "{function} returns a node without a position.",
        "Why does the tokenizer skip the sign in front of {n}?",
        "An escape at the end of the input makes {function} read past it.",
        "I added a fuzz test: {n} inputs, no crash.",
        "The tree keeps comments now, so {file} is printed as it was.",
        "Numbers such as 1e{n} overflow to infinity without a warning.",
        "The header of the file decides about its encoding.",
    ],
    [
        "The deployment of {module} stops at {n} of 12 replicas.",
        "I raised the memory of {module} to {n} MiB.",
        "The new image starts, but its health check times out.",
        "We roll out to {person}'s cluster first, then to all.",
        "The certificate of {module} ends on Sunday; who renews it?",
        "The log of the ingress shows {n} requests without an upstream.",
        "Terraform wants to replace the bucket because of {column}.",
        "The secret is mounted, but {function} reads the variable.",
        "I wrote a runbook for {module}: restart, watch, call {person}.",
        "The job of the night ran on the old node, in its local time.",
    ],
    [
        "The token of the session ends after {n} minutes.",
        "{function} logs the password of the user. I removed that line.",
        "The client retries at once when the server says 429.",
        "The webhook of the payment arrives twice, and we book twice.",
        "I compare the digests in constant time now.",
        "Requests from {module} lack the header with the origin.",
        "Please limit the upload to {n} kB per request.",
        "The redirect after the login loses its query.",
        "The audit lists {n} old packages, none of them in production.",
        "{person} cannot log in, since the clock of the laptop is wrong.",
    ],
    [
        "The bug is in {function}: it changes the list that it walks over.",
        "I cannot reproduce the crash of {module} with {n} items.",
        "The value is undefined when the cart of the guest is empty.",
        "A listener of {module} is added on every render.",
        "The error in {file} hides the first one.",
        "With {n} entries the loop in {function} takes a minute.",
        "It works after a restart, so some state of {module} is stale.",
        "The date is a day off for {person}, who lives in Auckland.",
        "I bisected: it began when {column} became a string.",
        "The stack trace ends in {function}, called from {file}.",
    ],
    [
        "Der Test von {module} schlägt fehl, weil {column} leer ist.",
        "Ich habe {function} aufgeteilt und die Größe der Datei halbiert.",
        "Bitte übersetze die Meldungen in {file}.",
        "Die Bilder im Katalog laden erst nach {n} ms.",
        "Warum wird die ganze Zahl in {function} gerundet?",
        "Das Formular prüft die Straße nicht, sagt {person}.",
        "Nach dem Zusammenführen fehlt {column} in {table}.",
        "Die Übersicht zeigt {n} Einträge doppelt.",
    ],
]

SLOTS = {
    "table": ["orders", "invoices", "customers", "events", "shipments", "audit_log", "prices"],
    "column": ["created_at", "status", "country", "external_id", "locale", "tax_rate", "slug"],
    "module": ["billing", "search", "importer", "gateway", "calendar", "reports", "mailer"],
    "function": [
        "parseHeader",
        "load_rows",
        "mergeBaskets",
        "formatPrice",
        "read_token",
        "nextPage",
    ],
    "file": ["src/basket.ts", "app/models.py", "ci/build.yml", "styles/main.css", "cmd/serve.go"],
    "person": ["Mira", "Jonas", "Agnieszka", "Tom", "Chloé", "Ravi"],
}

CODE = [
    "def {function}(rows):\n    return [row.{column} for row in rows if row.{column}]",
    "SELECT {column}, count(*) FROM {table} GROUP BY {column} LIMIT {n};",
    ".{module} > header {{ display: grid; gap: {n}px; }}",
    "export const {function} = (items) => items.slice(0, {n});",
    "- name: {module}\n  run: make {module} TIMEOUT={n}",
]

COMMANDS = ["grep -rn {column} {file}", "pytest tests/{module} -q", "git log --oneline -5 {file}"]

OUTPUT = [
    "{file}:{n}: {column} = row[{n}]",
    "{n} passed, 2 skipped in 3.{n}s",
    "a1{n}f {person}: change {function} in {module}",
]

# Sentences that a decoy says about one term of a query.
MENTIONS = [
    "Where do we speak of {term} in {module}?",
    "I looked at {term} in {file}, and it is fine.",
    "{term} is not the cause, as {person} says.",
    "Leave {term} as it is for now.",
    "There is a ticket about {term} with number {n}.",
    "The word {term} in {file} is spelled wrong.",
    "Please explain {term} to a beginner.",
    "I wrote a paragraph about {term} for the manual.",
    "Does {function} have anything to do with {term}?",
    "{person} asked about {term} in the review of {module}.",
    "I left a comment on {term} above {function}.",
    "The dashboard has a chart of {term} for {module} since Monday.",
    "Before we touch {term}, let us finish {file}.",
    "My first guess was {term}, then I read the log of {module} again.",
    "We had {term} last year in {module}; that is another story.",
    "Rename the section on {term}, since {person} could not find it.",
]

# What decoys say for a query with a part of a word.
WHOLE_WORDS = {"migrat": "migrations", "normaliz": "normalization"}

DIRECTORIES = [
    "/home/dev/shop",
    "/home/dev/checkout",
    "/home/dev/parser",
    "/home/dev/docker-images",
    "/home/dev/release-tools",
    "/home/dev/cache-proxy",
    "/home/dev/site",
    "/home/dev/infra/terraform",
]

TITLES = [
    "Tidy up {module}",
    "Tests for {function}",
    "Why is {table} slow",
    "Review of {file}",
    "Questions of {person}",
]

Role = Literal["user", "assistant", "result"]
Agent = Literal["pi", "claude", "codex"]


@attrs.frozen
class Message:
    """One text of a conversation; a result comes with the call of a tool before it."""

    role: Role
    text: str
    command: str = ""


@attrs.frozen
class Session:
    """A conversation and where its agent keeps it."""

    agent: Agent
    id: str
    cwd: str
    start: datetime
    messages: list[Message]
    title: str = ""

    def time(self, position: int) -> datetime:
        """Return when a message was written; no two of a session are of the same time."""
        return self.start + timedelta(seconds=97 * position)

    @property
    def path(self) -> Path:
        """The path of its file below the home directory."""
        began = self.start.strftime("%Y-%m-%dT%H-%M-%S")
        match self.agent:
            case "pi":
                directory = f"--{self.cwd.strip('/').replace('/', '-')}--"
                return Path(".pi/agent/sessions", directory, f"{began}-000Z_{self.id}.jsonl")
            case "claude":
                directory = re.sub(r"[^A-Za-z0-9]", "-", self.cwd)
                return Path(".claude/projects", directory, f"{self.id}.jsonl")
            case "codex":
                day = self.start.strftime("%Y/%m/%d")
                return Path(".codex/sessions", day, f"rollout-{began}-{self.id}.jsonl")

    def write(self, home: Path) -> None:
        """Write the file, as old as its last message."""
        file = home / self.path
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = {"pi": _pi_lines, "claude": _claude_lines, "codex": _codex_lines}[self.agent](self)
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        modified = self.time(len(self.messages)).timestamp()
        os.utime(file, (modified, modified))


@attrs.frozen
class Answer:
    """Where the answer to a question is."""

    question: Question
    session: Session
    position: int

    @property
    def time(self) -> str:
        """When it was written, as results of a search have it."""
        return _iso(self.session.time(self.position))


@attrs.frozen
class Corpus:
    sessions: list[Session]
    answers: list[Answer]

    def write(self, home: Path) -> None:
        for session in self.sessions:
            session.write(home)


def build_corpus() -> Corpus:
    """Return the sessions and answers, always the same ones."""
    author = _Author(random.Random(SEED))
    sessions: list[Session] = []
    answers = []
    for question in QUESTIONS:
        answer = author.write_answer(question)
        answers.append(answer)
        sessions += [answer.session, *author.write_decoys(answer)]
    while len(sessions) < SESSIONS:
        sessions.append(author.write_session(author.talk(3, 7), author.pick_time(0, 220)))
    return Corpus(sessions, answers)


def fold(text: str) -> str:
    """Return a text without case and accents, in which a person finds a word whichever way."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


class _Author:
    """Writes conversations by chance."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def write_answer(self, question: Question) -> Answer:
        """Return a session with the answer in its midst; half prepare it with a word of the query."""
        rng = self._rng
        before, after = self.talk(1, 3), self.talk(1, 3)
        if rng.random() < 0.5:
            before.append(Message("user", self.mention(rng.choice(question.terms))))
            role: Role = "assistant"
        else:
            role = rng.choice(["user", "assistant"])
        messages = [*before, Message(role, question.answer), *after]
        return Answer(question, self.write_session(messages, self.pick_time(30, 180)), len(before))

    def write_decoys(self, answer: Answer) -> Iterator[Session]:
        """Yield sessions that share words with the answer; most are newer."""
        question = answer.question
        terms = question.terms
        age = (END - answer.session.start).days
        for number in range(5):
            # The last two are older.
            at = self.pick_time(1, age - 5) if number < 3 else self.pick_time(age + 5, age + 60)
            yield self.write_session(self.spread(terms), at)
        # All terms but one in a message, and that one often in the others.
        for absent in self._rng.sample(terms, min(2, len(terms))):
            near = " ".join(self.mention(term) for term in terms if term != absent)
            messages = [Message("assistant", near), *self.spread([absent, absent, absent])]
            yield self.write_session(messages, self.pick_time(1, age - 5))
        yield self.write_session(self.spread([terms[0]] * 5), self.pick_time(1, age - 5))
        for _ in range(2):
            result = Message("result", f"notes.md:7: {question.answer}", "grep -n . notes.md")
            yield self.write_session(
                [*self.talk(1, 2), result, *self.talk(1, 2)], self.pick_time(1, age - 5)
            )
        if question.rival:
            at = (
                self.pick_time(1, age - 5)
                if question.rival_is_newer
                else self.pick_time(age + 5, age + 60)
            )
            rival = Message("assistant", question.rival)
            yield self.write_session([*self.talk(1, 3), rival, *self.talk(0, 2)], at)
        if question.title:
            others = [t for t in terms if fold(t) not in fold(question.title)]
            yield self.write_session(
                self.spread(others), self.pick_time(1, age - 5), question.title
            )

    def spread(self, terms: list[str]) -> list[Message]:
        """Return a conversation with each term in a message of its own."""
        messages = self.talk(0, 1)
        for term in terms:
            messages.append(Message(self._rng.choice(["user", "assistant"]), self.mention(term)))
            messages += self.talk(0, 1)
        return messages

    def talk(self, least: int, most: int) -> list[Message]:
        """Return turns of a person and a model, about one trade."""
        rng = self._rng
        sentences = rng.choice(TRADES)
        messages = []
        for _ in range(rng.randint(least, most)):
            prompt = self.fill(" ".join(rng.sample(sentences, rng.choice([1, 1, 2]))))
            messages.append(Message("user", prompt))
            if rng.random() < 0.5:
                command = self.fill(rng.choice(COMMANDS))
                output = "\n".join(self.fill(rng.choice(OUTPUT)) for _ in range(rng.randint(1, 9)))
                messages.append(Message("result", output, command))
            text = self.fill(" ".join(rng.sample(sentences, rng.choice([2, 3, 4]))))
            if rng.random() < 0.3:
                text += f"\n\n```\n{self.fill(rng.choice(CODE))}\n```"
            messages.append(Message("assistant", text))
        return messages

    def write_session(self, messages: list[Message], start: datetime, title: str = "") -> Session:
        rng = self._rng
        agents: list[Agent] = ["pi", "claude", "codex"]
        identifier = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        if not title and rng.random() < 0.3:
            title = self.fill(rng.choice(TITLES))
        cwd = rng.choice(DIRECTORIES)
        return Session(rng.choice(agents), identifier, cwd, start, messages, title)

    def mention(self, term: str) -> str:
        return self.fill(self._rng.choice(MENTIONS), term=WHOLE_WORDS.get(term, term))

    def fill(self, template: str, **slots: str) -> str:
        values = {slot: self._rng.choice(words) for slot, words in SLOTS.items()}
        return template.format(**values, n=self._rng.randint(13, 990), **slots)

    def pick_time(self, least: int, most: int) -> datetime:
        """Return a time that many days before the end."""
        seconds = self._rng.randint(least * 86_400, most * 86_400)
        return END - timedelta(hours=2, seconds=seconds)


def _iso(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _pi_lines(session: Session) -> Iterator[dict[str, Any]]:
    start = _iso(session.start)
    yield {
        "type": "session",
        "version": 3,
        "id": session.id,
        "timestamp": start,
        "cwd": session.cwd,
    }
    parent = None
    number = 0

    def entry(time: str, kind: str, **members: Any) -> dict[str, Any]:
        nonlocal parent, number
        number += 1
        entry_id = f"{int(session.id[:4], 16) * 4096 + number:08x}"
        line = {"type": kind, "id": entry_id, "parentId": parent, "timestamp": time, **members}
        parent = entry_id
        return line

    for position, message in enumerate(session.messages):
        time = _iso(session.time(position))
        at = int(session.time(position).timestamp() * 1000)
        content: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
        stamp: dict[str, Any] = {"timestamp": at}
        by = {"provider": "anthropic", "model": "claude-sonnet-4-5", "stopReason": "stop"}
        match message.role:
            case "user":
                body = {"role": "user", "content": content, **stamp}
            case "assistant":
                body = {"role": "assistant", "content": content, **by, **stamp}
            case "result":
                call: dict[str, Any] = {
                    "type": "toolCall",
                    "id": f"call_{position}",
                    "name": "bash",
                }
                call |= {"arguments": {"command": message.command}}
                request = {"role": "assistant", "content": [call], **by, **stamp}
                yield entry(time, "message", message=request)
                body = {"role": "toolResult", "toolCallId": call["id"], "toolName": "bash"}
                body |= {"content": content, "isError": False, **stamp}
        yield entry(time, "message", message=body)
    if session.title:
        yield entry(_iso(session.time(len(session.messages))), "session_info", name=session.title)


def _claude_lines(session: Session) -> Iterator[dict[str, Any]]:
    parent = None
    number = 0

    def entry(time: str, kind: str, message: dict[str, Any]) -> dict[str, Any]:
        nonlocal parent, number
        number += 1
        line = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": str(uuid.uuid5(uuid.UUID(session.id), str(number))),
            "timestamp": time,
            "cwd": session.cwd,
            "sessionId": session.id,
            "version": "2.1.330",
        }
        parent = line["uuid"]
        return line

    def model_message(position: int, block: dict[str, Any]) -> dict[str, Any]:
        tool = block["type"] == "tool_use"
        return {
            "id": f"msg_{position}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [block],
            "stop_reason": "tool_use" if tool else "end_turn",
            "usage": {"input_tokens": 3, "output_tokens": 20},
        }

    for position, message in enumerate(session.messages):
        time = _iso(session.time(position))
        match message.role:
            case "user":
                yield entry(time, "user", {"role": "user", "content": message.text})
            case "assistant":
                block = {"type": "text", "text": message.text}
                yield entry(time, "assistant", model_message(position, block))
            case "result":
                call_id = f"toolu_{position}"
                call: dict[str, Any] = {"type": "tool_use", "id": call_id, "name": "Bash"}
                call |= {"input": {"command": message.command}}
                yield entry(time, "assistant", model_message(position, call))
                result = {"tool_use_id": call_id, "type": "tool_result", "content": message.text}
                yield entry(time, "user", {"role": "user", "content": [result]})
    if session.title:
        yield {"type": "custom-title", "customTitle": session.title, "sessionId": session.id}


def _codex_lines(session: Session) -> Iterator[dict[str, Any]]:
    number = 0

    def line(time: str, kind: str, **payload: Any) -> dict[str, Any]:
        nonlocal number
        number += 1
        return {"timestamp": time, "ordinal": number - 1, "type": kind, "payload": payload}

    start = _iso(session.start)
    meta = {"id": session.id, "timestamp": start, "cwd": session.cwd, "model_provider": "openai"}
    yield line(start, "session_meta", **meta, history_mode="paginated")
    for position, message in enumerate(session.messages):
        time = _iso(session.time(position))
        match message.role:
            case "user":
                text = [{"type": "input_text", "text": message.text}]
                kinds = {"content_item_kinds": ["user.text"]}
                item: dict[str, Any] = {"type": "message", "role": "user", "content": text}
                item |= {"internal_chat_message_metadata_passthrough": kinds}
                yield line(time, "response_item", **item)
            case "assistant":
                text = [{"type": "output_text", "text": message.text}]
                item = {"type": "message", "id": f"msg_{position}", "role": "assistant"}
                yield line(time, "response_item", **item, content=text)
            case "result":
                call_id = f"call_{position}"
                call = {"type": "function_call", "name": "exec_command", "call_id": call_id}
                arguments = json.dumps({"cmd": message.command})
                yield line(time, "response_item", **call, arguments=arguments)
                result = {"type": "function_call_output", "call_id": call_id}
                yield line(time, "response_item", **result, output=message.text)
    if session.title:
        name = {"thread_id": session.id, "thread_name": session.title}
        end = _iso(session.time(len(session.messages)))
        yield line(end, "event_msg", type="thread_name_updated", **name)
