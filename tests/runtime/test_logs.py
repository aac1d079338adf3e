"""What a record looks like in the log, whatever it quotes."""

import logging
from pathlib import Path

import pytest

from sessiond.runtime.logs import MOST_OF_LINE, MOST_OF_TRACEBACK, log_handler


@pytest.fixture
def log(tmp_path: Path):
    handler = log_handler(str(tmp_path / "log"))
    logger = logging.getLogger("test_logs")
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, tmp_path / "log"
    logger.removeHandler(handler)
    handler.close()


def fail(text: str) -> None:
    raise ValueError(text)


def test_a_record_is_one_line_of_limited_length(log: tuple[logging.Logger, Path]):
    logger, file = log
    logger.warning("%s cannot be read: %s", "/a\nERROR fake\x1b[2J\u2028" + "x" * 70_000, "why")
    (line,) = file.read_text().splitlines()
    assert len(line) < MOST_OF_LINE + 200
    assert r"/a\nERROR fake\x1b[2J\u2028xxx" in line
    assert line.endswith("xxx cannot be read: why")


def test_a_record_that_fits_is_complete(log: tuple[logging.Logger, Path]):
    logger, file = log
    text = "é" * MOST_OF_LINE
    logger.warning(text)
    assert file.read_text().endswith(f" WARNING test_logs: {text}\n")


def test_the_traceback_of_a_record_is_limited(log: tuple[logging.Logger, Path]):
    logger, file = log
    for text in ("x" * 70_000, "y\n" * 70_000):
        before = file.stat().st_size
        try:
            fail(text)
        except ValueError:
            logger.exception("failed")
        written = file.read_text()[before:]
        assert len(written) < MOST_OF_TRACEBACK + 200
        assert "Traceback" in written
        assert "raise ValueError(text)" in written
