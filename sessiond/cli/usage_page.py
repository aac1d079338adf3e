"""The page of `sessiond usage --html`: one file with charts, without script, that loads nothing."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import attrs

from sessiond.catalog.export.target import marked, place
from sessiond.cli.astext import amount, calculation, cost, dollars, homely, now, one_line, title
from sessiond.format.describe.secrets import masked

Answer = Mapping[str, Any]

_COLORS = 8
"""Number of colours; the last one is for all other models."""
_MOST_DAYS = 100
"""Longer periods are drawn by week, and beyond as many weeks by month."""
_MOST_ROWS = 30
_TITLES = ("name", "firstMessage")
"""Members of a session of which the page shows the beginning."""
_WIDTH, _HEIGHT, _LEFT, _BELOW = 960, 240, 56, 22

_STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --line: #dfe3e9; --text: #1d232c;
  --soft: #5b6675; --c0: #2457c5; --c1: #0b7a5e; --c2: #c77700; --c3: #8b3fb5; --c4: #c2334d;
  --c5: #0e8aa8; --c6: #6c7a1e; --c7: #7b8794; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161a; --card: #1c1f25; --line: #2c313a; --text: #dfe3ea; --soft: #97a1b0;
    --c0: #82aaff; --c1: #5fd3b0; --c2: #e2b564; --c3: #c9a0f0; --c4: #ff8f9f; --c5: #6fd0e6;
    --c6: #c3d06a; --c7: #8b96a5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1040px; padding: 20px 16px 48px; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 22px; margin: 0; } h2 { font-size: 16px; margin: 0 0 10px; }
p { margin: 4px 0; color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 14px 16px; margin-top: 16px; overflow-x: auto; }
dl { display: flex; flex-wrap: wrap; gap: 10px 32px; margin: 0; }
dt { color: var(--soft); font-size: 13px; } dd { margin: 0; font-size: 20px; font-weight: 600; }
svg { display: block; width: 100%; min-width: 560px; height: auto; }
svg text { fill: var(--soft); font-size: 11px; } .axis { stroke: var(--line); }
ul { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 8px 0 0; padding: 0; }
li::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 2px;
  margin-right: 6px; background: var(--color); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 13px; }
th, td { padding: 4px 8px; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 160px; unicode-bidi: plaintext; }
td.bar { width: 26%; min-width: 90px; }
td.bar span { display: block; height: 12px; margin-top: 5px; border-radius: 3px; min-width: 1px;
  background: var(--c0); }
@media print { section { break-inside: avoid; } }
"""


@attrs.frozen
class _Shown:
    """The measure that is drawn, and how it is written."""

    measure: str
    """`cost`, or `tokens` if no cost is recorded at all."""

    def value(self, sums: Answer) -> float:
        return float(sums[self.measure]["total"]) if self.measure in sums else 0.0

    def text(self, value: float) -> str:
        return dollars(value, {}) if self.measure == "cost" else amount(value)


def write(path: str, content: bytes, kept: Collection[str]) -> None:
    """Write the page completely or not at all; raises as `place` does."""
    place(path, marked([content]), kept)


def page(answers: Mapping[str, Answer], params: Answer) -> str:
    """The page. `answers` are those of `catalog/usage` by each grouping."""
    whole = answers["day"]
    total = whole["sums"]
    measure = _Shown("cost" if "cost" in total and total["cost"]["total"] > 0 else "tokens")
    models = [row["key"] for row in answers["model"]["rows"]]
    colors = {name: min(at, _COLORS - 1) for at, name in enumerate(models)}
    sections = [
        _tiles(whole),
        _chart(answers, measure, colors),
        _table("Models", "model", answers["model"]["rows"], measure),
        _table("Projects", "project", answers["project"]["rows"], measure),
        _table("Sessions", "session", answers["session"]["rows"], measure),
        _table("Months", "month", answers["month"]["rows"][::-1], measure),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Usage of coding agents</title><style>{_STYLE}</style></head><body>\n"
        f"<header><h1>Usage of coding agents</h1>{_about(whole, params)}</header>\n<main>"
        + "\n".join(sections)
        + "</main></body></html>\n"
    )


def _about(whole: Answer, params: Answer) -> str:
    days = [row["key"] for row in whole["rows"] if row["key"]]
    facts = [f"{days[0]} to {days[-1]}"] if days else []
    facts.append(f"days in {whole['timezone']}")
    given = ("model", "cwd", "project")
    facts += [f"{name}: {homely(params[name])}" for name in given if params.get(name)]
    facts.append(f"made {now():%Y-%m-%d %H:%M} UTC")
    return f"<p>{_safe(' · '.join(facts))}</p>"


def _tiles(whole: Answer) -> str:
    total, tokens = whole["sums"], whole["sums"]["tokens"]
    tiles = [
        ("Cost (US dollars)", cost(total)),
        ("Tokens", amount(tokens["total"])),
        ("Input", amount(tokens["input"])),
        ("Output", amount(tokens["output"])),
        ("Cache read", amount(tokens["cacheRead"])),
        ("Cache write", amount(tokens["cacheWrite"])),
        ("Sessions", f"{whole['sessionCount']:,}"),
        ("Entries", f"{total['entries']:,}"),
    ]
    notes = "<p>Costs are those that the agents recorded."
    if "prices" in whole:
        calculated = calculation(total.get("calculated", 0), whole["prices"])
        notes = f"<p>Costs are those that the agents recorded; {_safe(calculated)}."
    if total["withoutCost"]:
        notes += f" {total['withoutCost']:,} of {total['entries']:,} entries have none."
    if whole["omittedCopies"]:
        notes += f" {whole['omittedCopies']:,} entries that forks copied are counted once."
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in tiles)
    return f"<section><h2>Total</h2><dl>{cells}</dl>{notes}</p></section>"


def _chart(answers: Mapping[str, Answer], measure: _Shown, colors: Mapping[str, int]) -> str:
    """Columns by period, divided by model."""
    by, keys = _periods(answers)
    if not keys:
        return ""
    rows = {row["key"]: row for row in answers[by]["rows"]}
    most = max((measure.value(rows[key]["sums"]) for key in keys if key in rows), default=0) or 1
    step = (_WIDTH - _LEFT) / len(keys)
    drawn = []
    for share in (0.0, 0.5, 1.0):
        y = _y(share)
        drawn.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>')
        drawn.append(
            f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">'
            f"{measure.text(most * share)}</text>"
        )
    every = -(-len(keys) // 8)
    for at, key in enumerate(keys):
        x = _LEFT + at * step
        if at % every == 0:
            drawn.append(f'<text x="{x:.1f}" y="{_HEIGHT - 6}">{key}</text>')
        if key in rows:
            drawn += _column(rows[key], measure, colors, most, (x, max(1.0, step * 0.8)))
    names = list(colors)[: _COLORS - 1]
    legend = [f'<li style="--color:var(--c{colors[name]})">{_model(name)}</li>' for name in names]
    if len(colors) >= _COLORS:
        legend.append(f'<li style="--color:var(--c{_COLORS - 1})">other models</li>')
    what = "Cost" if measure.measure == "cost" else "Tokens"
    return (
        f"<section><h2>{what} by {by} and model</h2>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{what} by {by} and model">'
        f"{''.join(drawn)}</svg><ul>{''.join(legend)}</ul></section>"
    )


def _column(
    row: Answer,
    measure: _Shown,
    colors: Mapping[str, int],
    most: float,
    place_: tuple[float, float],
) -> Iterator[str]:
    x, width = place_
    done = 0.0
    by_color: dict[int, float] = {}
    for used in row["models"]:
        color = colors[_key(used)]
        by_color[color] = by_color.get(color, 0) + max(0.0, measure.value(used["sums"]))
    text = f"{row['key']}: {measure.text(measure.value(row['sums']))}"
    yield f"<g><title>{text}</title>"
    for color, value in sorted(by_color.items()):
        top = _y((done + value) / most)
        height = _y(done / most) - top
        yield (
            f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
            f' style="fill:var(--c{color})"/>'
        )
        done += value
    yield "</g>"


def _y(share: float) -> float:
    return 8 + (_HEIGHT - _BELOW - 8) * (1 - share)


def _periods(answers: Mapping[str, Answer]) -> tuple[str, list[str]]:
    """The periods of the chart without gaps, by day, week or month."""
    days = [date.fromisoformat(row["key"]) for row in answers["day"]["rows"] if row["key"]]
    if not days:
        return "day", []
    count = (days[-1] - days[0]).days + 1
    by = "day" if count <= _MOST_DAYS else "week" if count <= 7 * _MOST_DAYS else "month"
    form = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}[by]
    # A file may hold times of any year.
    if count > 366 * 50:
        return "month", [row["key"] for row in answers["month"]["rows"] if row["key"]]
    each = (days[0] + timedelta(days=n) for n in range(count))
    return by, list(dict.fromkeys(day.strftime(form) for day in each))


def _table(heading: str, by: str, rows: Sequence[Answer], measure: _Shown) -> str:
    most = max((measure.value(row["sums"]) for row in rows), default=0) or 1
    body = "".join(_row(row, by, measure, most) for row in rows[:_MOST_ROWS])
    left = len(rows) - _MOST_ROWS
    more = f"<p>{left:,} more are not shown.</p>" if left > 0 else ""
    heads = ("Cost", "Tokens", "Input", "Output", "Cache read", "Cache write")
    numbers = "".join(f'<th scope="col" class="n">{name}</th>' for name in heads)
    return (
        f'<section><h2>{heading}</h2><table><thead><tr><th scope="col">{heading[:-1]}</th>'
        f'<th scope="col"><span hidden>Share</span></th>{numbers}</tr></thead>'
        f"<tbody>{body}</tbody></table>{more}</section>"
    )


def _row(row: Answer, by: str, measure: _Shown, most: float) -> str:
    sums, tokens = row["sums"], row["sums"]["tokens"]
    kinds = ("total", "input", "output", "cacheRead", "cacheWrite")
    figures = _cells([cost(sums), *(amount(tokens[kind]) for kind in kinds)])
    share = max(0.0, min(100.0, 100 * measure.value(sums) / most))
    bar = f'<span style="width:{share:.1f}%"></span>' if share else ""
    return f'<tr><td class="name">{_name(row, by)}</td><td class="bar">{bar}</td>{figures}</tr>'


def _cells(values: Iterable[str]) -> str:
    return "".join(f'<td class="n">{value}</td>' for value in values)


def _name(row: Answer, by: str) -> str:
    if "info" in row:
        return _safe(title(row["info"]) or row["info"]["id"])
    if by == "model":
        return _model(row["key"])
    return _safe(homely(row["key"]) if by == "project" else row["key"]) or "none"


def without_secrets(answer: Answer) -> Answer:
    """Return usage by session with keys, passwords and the home directory masked in titles."""
    return {**answer, "rows": [_without_secrets(row) for row in answer["rows"]]}


def _without_secrets(row: Answer) -> Answer:
    # Whole texts are masked: of a secret that a title cuts no form is recognized.
    texts = {name: row["info"][name] for name in _TITLES if name in row["info"]}
    hidden = {name: _homely_text(masked(text)) for name, text in texts.items()}
    return {**row, "info": {**row["info"], **hidden}}


def titles_with_secrets(answer: Answer) -> int:
    """Return how many titles of usage by session have what looks like a secret."""
    infos = [row["info"] for row in answer["rows"]]
    texts = [info.get("name") or info.get("firstMessage", "") for info in infos]
    return sum(masked(text) != text for text in texts)


def _homely_text(text: str) -> str:
    """Return a text with `~` in place of the home directory."""
    home = os.environ.get("HOME", "").rstrip("/")
    return re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text) if home else text


def _model(key: str) -> str:
    return _safe(key) or "no model"


def _key(used: Answer) -> str:
    return "/".join(filter(None, (used["provider"], used["model"])))


def _safe(text: str) -> str:
    return html.escape(one_line(text))
