#!/usr/bin/env python3
"""A proxy before PostgreSQL that takes away what engines of its protocol lack.

postgres_proxy.py without-versions|serializable LISTEN SERVER

It listens at the Unix socket LISTEN/.s.PGSQL.5432 and passes each message on to SERVER/.s.PGSQL.5432. Statements are changed on
the way, so that the server itself gives the error that another engine would:

  without-versions  the system columns of records have other names: `column "no_xmin" does not exist`
  serializable      every transaction is SERIALIZABLE
"""

import asyncio
import re
import struct
import sys

SYSTEM_COLUMNS = re.compile(rb"(?<![\w.'\"])(xmin|xmax|cmin|cmax|ctid)(?![\w'\"])")
READ_COMMITTED = re.compile(rb"ISOLATION LEVEL READ COMMITTED")
SOCKET = "/.s.PGSQL.5432"


def without_versions(statement):
    return SYSTEM_COLUMNS.sub(rb"no_\1", statement)


def serializable(statement):
    return READ_COMMITTED.sub(b"ISOLATION LEVEL SERIALIZABLE", statement)


def of_simple_query(body, change):
    return change(body)


def of_parse(body, change):
    name, rest = body.split(b"\0", 1)
    statement, types = rest.split(b"\0", 1)
    return name + b"\0" + change(statement) + b"\0" + types


STATEMENTS = {b"Q": of_simple_query, b"P": of_parse}


def message(kind, body):
    return kind + struct.pack("!I", len(body) + 4) + body


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def copy_changed(reader, writer, change, is_serializable):
    # The first message has no kind. A request for encryption or a cancellation is followed by another, or by nothing.
    while True:
        length = struct.unpack("!I", await reader.readexactly(4))[0]
        body = await reader.readexactly(length - 4)
        is_startup = struct.unpack("!I", body[:4])[0] == 196608
        if is_startup and is_serializable:
            body = body[:-1] + b"default_transaction_isolation\0serializable\0\0"
        writer.write(struct.pack("!I", len(body) + 4) + body)
        if is_startup:
            break
    while True:
        kind = await reader.readexactly(1)
        length = struct.unpack("!I", await reader.readexactly(4))[0]
        body = await reader.readexactly(length - 4)
        if kind in STATEMENTS:
            body = STATEMENTS[kind](body, change)
        writer.write(message(kind, body))
        await writer.drain()


async def serve(change, is_serializable, listen, server):
    async def connected(reader, writer):
        try:
            to_reader, to_writer = await asyncio.open_unix_connection(server + SOCKET)
        except OSError:
            writer.close()
            return
        back = asyncio.create_task(copy(to_reader, writer))
        try:
            await copy_changed(reader, to_writer, change, is_serializable)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            to_writer.close()
            await asyncio.gather(back, return_exceptions=True)

    async with await asyncio.start_unix_server(connected, listen + SOCKET) as sockets:
        await sockets.serve_forever()


def main():
    mode, listen, server = sys.argv[1:]
    changes = {"without-versions": without_versions, "serializable": serializable}
    asyncio.run(serve(changes[mode], mode == "serializable", listen, server))


if __name__ == "__main__":
    main()
