"""The documents of files of pi's format, and of sessions that are translated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from sessiond.agents.sessions import recognize, refuse_new_file, stat_session, translation_of
from sessiond.agents.translation import Translation
from sessiond.files import disk, workers
from sessiond.files.cache import Documents
from sessiond.files.contents import Contents
from sessiond.files.session_document import SessionDocument
from sessiond.runtime.errors import InvalidSessionFile

_T = TypeVar("_T")


class AgentDocuments(Documents):
    """Implements `DocumentStore`: also sessions that are translated, known by their paths.

    New files are refused where their agent would never read them. A translated session that only
    its beginning tells is opened for reading also if it was to be written.
    """

    async def exists(self, path: str) -> bool:
        if translation_of(path) is None:
            return await super().exists(path)
        return await workers.reading(workers.LONG, stat_session, path) is not None

    async def open(
        self, path: str, *, write: bool, new_header: Callable[[], bytes] | None = None
    ) -> SessionDocument:
        translation = translation_of(path)
        if translation is None:
            if new_header is not None and not disk.lexists(path):
                refuse_new_file(path)
            try:
                return await super().open(path, write=write, new_header=new_header)
            except InvalidSessionFile as error:
                translation = await self._recognized(path, error)
        elif write:
            raise translation.refusal(path)
        # Imported here, because most daemons never see one.
        from sessiond.agents.translated_documents import TranslatedDocument

        place = disk.roots(), path
        every = (one for one in self if isinstance(one, TranslatedDocument))
        opened = next((one for one in every if (one.roots, one.path) == place), None)
        return await self._open(
            opened, lambda: TranslatedDocument(path, translation), TranslatedDocument.open
        )

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> SessionDocument:
        refuse_new_file(path)
        return await super().create(path, lines, size)

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        translation = translation_of(path)
        if translation is None:
            try:
                return await super().use(path, work)
            except InvalidSessionFile as error:
                translation = await self._recognized(path, error)
        from sessiond.agents.translated_documents import contents_of

        return await work(await contents_of(path, translation))

    async def _recognized(self, path: str, error: InvalidSessionFile) -> Translation:
        """Return what translates a file that is not of pi's format; raises the error if nothing."""
        translation = await workers.reading(workers.LONG, recognize, path)
        if translation is None:
            raise error
        return translation
