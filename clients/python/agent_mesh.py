"""A client of agent-mesh nodes and aggregators in one file. It needs Python 3.9 or newer, and nothing else.

    node = Node("http://127.0.0.1:9090", secret=open("data/requester/api-secret").read().strip())
    step = node.negotiation.propose(recipient=agent_id, amount_usdc="1.5", message="Count these words.")
    for frame in node.inbox.frames(unacked=True):
        print(frame["msg_type"], frame["payload"])

Every operation is a method of its group and named as in the API documents (docs/openapi-node.json and
docs/openapi-aggregator.json). Members of requests and queries are given by name; None is absent. Answers are what the JSON
says: dictionaries, lists and texts. A call that fails raises a MeshError.

The second half of this file is generated from those documents by `npm run clients`.
"""

import base64
import hashlib
import http.client
import io
import json
import os
import random
import re
import socket
import ssl
import struct
import time
import unicodedata
import urllib.parse
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

__all__ = ["Aggregator", "Key", "MeshError", "Node"]

Json = Any

#: Bytes of an answer in JSON, of one in bytes, of a problem document, and of one frame of a stream.
_MOST_JSON = 16 * 1024 * 1024
_MOST_BYTES = 128 * 1024 * 1024
_MOST_PROBLEM = 64 * 1024
_MOST_FRAME = 16 * 1024 * 1024
#: Bytes that come beside those of an answer: heads, and the sizes of chunks.
_MOST_BESIDE = 1024 * 1024
#: Characters of a stranger's sentence.
_MOST_WORDS = 2000
#: Seconds to wait for a retry, whatever the other side said.
_LONGEST_WAIT = 86400
#: Digits of a whole number in JSON; more take Python time out of proportion.
_MOST_DIGITS = 300
#: Seconds without a byte after which a stream is dialled again; a server shows that it lives each half minute.
_SILENCE = 90.0
#: Seconds that a frame may take from its first byte to its last.
_FRAME_TIME = 60.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
#: Connections in a row that brought nothing but a fault, after which asking again is no use.
_MOST_FAULTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
#: Statuses of a plain request that do not say that a stream is refused for good.
_PASSING = (408, 425, 426, 429)
#: The close code with which a server refuses what was asked for, so that asking again changes nothing.
_POLICY = 1008
#: Closes an error about an answer that no node gives.
_WHERE = "the url must be that of a node or an aggregator"
_NO_FRAME = "the server sends what is no frame of this stream, or none behind the last one; " + _WHERE
_BIDI = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


class MeshError(Exception):
    """A call that the other side refused, or that never got an answer.

    `status` and `code` are those of its problem document. Without a whole answer the status is 0 and the code
    `unreachable`; a call that nothing was sent of has `not_signed`. An answer of another kind than the operation's has
    `invalid_answer`, one that sends the caller elsewhere `redirected`. A stream that the other side closed for good has 0
    and `stream_refused`, one that brought nothing but what is no frame 0 and `invalid_answer`. `fields` names the members at
    fault, `retry_after` the seconds to wait when the other side said so, at most a day. `key` is the idempotency key that was
    sent: repeat the call with it when nobody knows whether it was done.
    """

    def __init__(
        self,
        message: str,
        status: int = 0,
        code: str = "unreachable",
        fields: Tuple[Dict[str, str], ...] = (),
        retry_after: Optional[int] = None,
        key: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.fields = fields
        self.retry_after = retry_after
        self.key = key


class Key:
    """An agent's Ed25519 key (RFC 8032), from the 32 bytes of its `identity.key`.

    Python's arithmetic does not take the same time for every key. Where somebody may measure how long signatures take, give
    the client an object of your own with `agent_id` and `sign(data)` instead, which signs in a library or a device.
    """

    def __init__(self, seed: bytes) -> None:
        if len(seed) != 32:
            raise ValueError("the key of an agent has 32 bytes")
        digest = hashlib.sha512(seed).digest()
        self._scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
        self._prefix = digest[32:]
        self._public = _encoded(_times(self._scalar))
        self.agent_id = _base58(self._public)

    @classmethod
    def from_file(cls, path: str) -> "Key":
        with open(path, "rb") as file:
            return cls(file.read())

    def sign(self, data: bytes) -> bytes:
        r = int.from_bytes(hashlib.sha512(self._prefix + data).digest(), "little") % _ORDER
        point = _encoded(_times(r))
        h = int.from_bytes(hashlib.sha512(point + self._public + data).digest(), "little") % _ORDER
        return point + ((r + h * self._scalar) % _ORDER).to_bytes(32, "little")


_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_BASE_Y = 4 * pow(5, _P - 2, _P) % _P
_Point = Tuple[int, int, int, int]


def _base_point() -> _Point:
    square = (_BASE_Y * _BASE_Y - 1) * pow(_D * _BASE_Y * _BASE_Y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    if x % 2 != 0:
        x = _P - x
    return (x, _BASE_Y, 1, x * _BASE_Y % _P)


def _add(a: _Point, b: _Point) -> _Point:
    """The sum on the twisted Edwards curve, in extended coordinates; the formulas hold for every two points."""
    left = (a[1] - a[0]) * (b[1] - b[0]) % _P
    right = (a[1] + a[0]) * (b[1] + b[0]) % _P
    c = 2 * a[3] * b[3] * _D % _P
    d = 2 * a[2] * b[2] % _P
    e, f, g, h = right - left, d - c, d + c, right + left
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _times(scalar: int) -> _Point:
    """The base point so many times. Each bit costs the same two additions, whatever it is."""
    result: _Point = (0, 1, 1, 0)
    other = _base_point()
    for bit in range(255, -1, -1):
        if scalar >> bit & 1:
            result, other = _add(result, other), _add(other, other)
        else:
            result, other = _add(result, result), _add(result, other)
    return result


def _encoded(point: _Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _base58(data: bytes) -> str:
    alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    value, text = int.from_bytes(data, "big"), ""
    while value > 0:
        value, rest = divmod(value, 58)
        text = alphabet[rest] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


class _Deadline:
    """The end of everything that a call does, however little or much comes at a time."""

    def __init__(self, seconds: float, most: Optional[int] = None, stop: Any = None) -> None:
        self._stop = stop
        self.begin(seconds, most)

    def begin(self, seconds: float, most: Optional[int]) -> None:
        """Counts time and bytes anew."""
        self._end = time.monotonic() + seconds
        self._most = most

    def left(self) -> float:
        if _is_set(self._stop):
            raise socket.timeout("the reader has ended it")
        left = self._end - time.monotonic()
        if left <= 0:
            raise socket.timeout("no answer in time")
        return left

    def allow(self, more: int) -> None:
        if self._most is not None:
            self._most += more

    def turn(self) -> float:
        """Seconds to wait before another look at what ends it."""
        return self.left() if self._stop is None else min(self.left(), 0.25)

    def took(self, size: int) -> None:
        """http.client reads a chunk of a size below zero to its end, wherever that is."""
        if self._most is not None:
            self._most -= size
            if self._most < 0:
                raise ValueError("the answer has more bytes than are read")


class _Raw(io.RawIOBase):
    """What comes from a socket before the deadline."""

    def __init__(self, sock: Any, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            self._sock.settimeout(self._deadline.turn())
            try:
                size = self._sock.recv_into(buffer)
            except socket.timeout:
                continue
            self._deadline.took(size)
            return size


class _Socket:
    """The part of a socket that http.client uses, within a deadline."""

    def __init__(self, sock: Any, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, *_: Any, **__: Any) -> Any:
        return io.BufferedReader(_Raw(self._sock, self._deadline))

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(data)

    def close(self) -> None:
        """http.client closes before the answer is read; the connection's own `end` does it."""


class _Connection(http.client.HTTPConnection):
    def __init__(self, client: "_Client", deadline: _Deadline) -> None:
        super().__init__(client._host, client._port)
        self._client = client
        self._deadline = deadline
        self._wire: Any = None

    def connect(self) -> None:
        self._wire = self._client._dial(self._deadline)
        self.sock = _Socket(self._wire, self._deadline)  # type: ignore[assignment]

    def end(self) -> None:
        self.close()
        if self._wire is not None:
            self._wire.close()


class _Client:
    """Calls one server. It follows no redirect, which could lead to addresses that nobody configured."""

    def __init__(
        self,
        url: str,
        secret: Optional[str] = None,
        key: Any = None,
        audience: Optional[str] = None,
        timeout: float = 30.0,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        url: where it listens, such as http://127.0.0.1:9090
        secret: the API secret of a node, or another Bearer credential that holds for every call
        key: a Key, or anything with agent_id and sign(data), for the calls that only an agent itself may make
        audience: the aggregator's public URL, which tokens name; needed where url is another way to reach it
        timeout: seconds after which a call is given up
        context: the TLS settings; the platform's unless given
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the url begins with http:// or https:// and names a host")
        self._tls = parts.scheme == "https"
        self._host: str = parts.hostname
        self._port: int = parts.port or (443 if self._tls else 80)
        self._named = parts.netloc.rpartition("@")[2]
        self._base = parts.path.rstrip("/")
        self._context = context or (ssl.create_default_context() if self._tls else None)
        self._secret = _header_value(secret)
        self._key = key
        self._audience = (audience or url).rstrip("/")
        self._timeout = timeout

    def _dial(self, deadline: _Deadline) -> Any:
        sock = socket.create_connection((self._host, self._port), timeout=deadline.left())
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is None:
                return sock
            sock.settimeout(deadline.left())
            return self._context.wrap_socket(sock, server_hostname=self._host)
        except BaseException:
            sock.close()
            raise

    def _call(
        self,
        method: str,
        path: str,
        kind: str,
        query: Optional[Dict[str, Any]] = None,
        headers: Optional[Dict[str, Any]] = None,
        body: Union[None, bytes, Dict[str, Any]] = None,
        once: bool = False,
        signed: bool = False,
        also: int = 0,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """One call. The answer is of this kind, or the call raises a MeshError with the code invalid_answer."""
        line = "%s %s" % (method, path)
        target = path + _queried(query)
        given = {"Accept": "application/json", "Accept-Encoding": "identity", "Connection": "close", "Host": self._named}
        content = body
        if isinstance(body, dict):
            members = {name: value for name, value in body.items() if value is not None}
            content = json.dumps(members, allow_nan=False).encode("utf-8")
            given["Content-Type"] = "application/json"
        elif body is not None:
            given["Content-Type"] = "application/octet-stream"
        given.update({name.title(): str(value) for name, value in (headers or {}).items() if value is not None})
        if key is None and once:
            key = os.urandom(16).hex()
        if key is not None:
            given["Idempotency-Key"] = key
        if signed:
            given["Authorization"] = "Bearer " + self._token(line, method, target, content or b"")
        elif self._secret is not None:
            given["Authorization"] = "Bearer " + self._secret
        most = _MOST_BYTES if kind == "bytes" else _MOST_JSON
        deadline = _Deadline(self._timeout if timeout is None else timeout, _MOST_BESIDE)
        connection = _Connection(self, deadline)
        try:
            connection.request(method, self._base + target, body=content, headers=given)
            response = connection.getresponse()
            deadline.allow(most)
            if not 200 <= response.status < 300 and response.status != also:
                raise _refusal(line, response, key)
            data = _read(response, most)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise MeshError("%s: %s" % (line, _reason(error)), key=key) from error
        finally:
            connection.end()
        return _answer(line, response, data, kind)

    def _token(self, line: str, method: str, target: str, body: Any) -> str:
        """What an agent shows an aggregator for one request; it holds five minutes."""
        if self._key is None:
            raise MeshError("%s: only the agent itself may call this; give the client its key" % line, code="not_signed")
        now = int(time.time())
        claims = {
            "iss": self._key.agent_id,
            "aud": self._audience,
            "iat": now,
            "exp": now + 300,
            "jti": _base64url(os.urandom(16)),
            "htm": method,
            "htu": target,
            "bh": _base64url(hashlib.sha256(body).digest()),
        }
        header = _base64url(b'{"alg":"EdDSA","typ":"agent-mesh+jwt"}')
        text = header + "." + _base64url(json.dumps(claims, separators=(",", ":")).encode("utf-8"))
        return text + "." + _base64url(self._key.sign(text.encode("ascii")))

    def _frames(
        self,
        path: str,
        query: Dict[str, Any],
        member: Optional[str],
        stop: Any,
        dial: "Callable[[_Client, str, Optional[str], Any], Any]",
    ) -> Iterator[Any]:
        """The frames of one connection after the other, each made behind the last frame that was handed out."""
        pause, since, last_id, faults = _FIRST_PAUSE, None, None, 0
        while not _is_set(stop):
            asked = dict(query)
            if since is not None:
                asked["since"] = since
            stream, brought, fault = None, False, None
            newest = int(asked.get("since") or -1) if since is None else since
            try:
                stream = dial(self, path + _queried(asked), last_id, stop)
                for value, event_id in stream:
                    if not isinstance(value, dict) or not (member is None or _is_number(value.get(member), newest)):
                        fault = _NO_FRAME
                        break
                    brought = True
                    if member is not None:
                        since = newest = value[member]
                    last_id = event_id
                    yield value
            except _Ended as ended:
                if ended.code == _POLICY:
                    raise MeshError("%s: %s" % (path, ended.reason), code="stream_refused") from None
            except _NotOpened:
                fault = self._ask_why(path, asked)
            except (ValueError, RecursionError):
                fault = _NO_FRAME
            except (OSError, http.client.HTTPException):
                pass
            finally:
                if stream is not None:
                    stream.close()
            if brought:
                # The clients of a server that ends come back spread over the first pause, and not all in one moment.
                pause, faults = _FIRST_PAUSE, 0
                _wait(pause * random.random(), stop)
            else:
                faults = faults + 1 if fault else 0
                if fault and faults == _MOST_FAULTS:
                    raise MeshError("%s: %s" % (path, fault), code="invalid_answer")
                _wait(pause, stop)
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _ask_why(self, path: str, query: Dict[str, Any]) -> Optional[str]:
        """A plain request of the same address tells why a stream was not opened."""
        status = 200
        try:
            self._call("GET", path, "value", query=query)
        except MeshError as error:
            status = error.status
            if error.code == "redirected" or (400 <= status < 500 and status not in _PASSING):
                raise
        return "the server opens no stream; " + _WHERE if 200 <= status < 300 else None


class _Ended(Exception):
    """The server has closed a stream."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = _visible(reason) or "the server refuses this stream"


class _NotOpened(Exception):
    """The server did not switch to a stream."""


class _Line:
    """Bytes of a stream as they come, with an eye on the end that its reader wants."""

    def __init__(self, sock: Any, stop: Any) -> None:
        self._sock = sock
        self._stop = stop
        self._rest = bytearray()

    def exactly(self, size: int, deadline: Optional[_Deadline]) -> bytes:
        while len(self._rest) < size:
            self._more(deadline)
        data = bytes(self._rest[:size])
        del self._rest[:size]
        return data

    def line(self, deadline: Optional[_Deadline], most: int = 8192) -> bytes:
        """The next line, without its end."""
        searched = 0
        while True:
            end = self._rest.find(b"\n", searched)
            if end >= 0:
                data = bytes(self._rest[:end])
                del self._rest[: end + 1]
                return data.rstrip(b"\r")
            searched = len(self._rest)
            if searched > most:
                raise ValueError("a line without end")
            self._more(deadline)

    def _more(self, deadline: Optional[_Deadline]) -> None:
        quiet = _Deadline(_SILENCE)
        while True:
            if _is_set(self._stop):
                raise socket.timeout("the reader has ended it")
            left = min(quiet.left(), deadline.left() if deadline else _SILENCE)
            self._sock.settimeout(min(left, 0.25) if self._stop is not None else left)
            try:
                data = self._sock.recv(65536)
            except socket.timeout:
                continue
            if not data:
                raise ConnectionError("the stream was cut")
            self._rest += data
            return


class _WebSocket:
    """The messages of a WebSocket (RFC 6455) that are JSON."""

    def __init__(self, client: _Client, target: str, _: Optional[str], stop: Any) -> None:
        deadline = _Deadline(client._timeout)
        self._sock = client._dial(deadline)
        try:
            self._line = _Line(self._sock, stop)
            self._open(client, target, deadline)
        except BaseException:
            self._sock.close()
            raise

    def __iter__(self) -> Iterator[Tuple[Any, None]]:
        while True:
            yield _parsed(self._message().decode("utf-8")), None

    def close(self) -> None:
        try:
            self._send(8, struct.pack("!H", 1000))
        except OSError:
            pass
        self._sock.close()

    def _open(self, client: _Client, target: str, deadline: _Deadline) -> None:
        nonce = base64.b64encode(os.urandom(16)).decode("ascii")
        lines = [
            "GET %s HTTP/1.1" % (client._base + target),
            "Host: " + client._named,
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: " + nonce,
        ]
        if client._secret is not None:
            lines.append("Authorization: Bearer " + client._secret)
        if any("\r" in line or "\n" in line for line in lines):
            raise MeshError("%s: a credential or an address has a line break" % target, code="not_sent")
        self._sock.settimeout(deadline.left())
        self._sock.sendall("\r\n".join(lines + ["", ""]).encode("utf-8"))
        status = self._line.line(deadline).split(b" ")
        accepted = None
        for _ in range(100):
            name, _, value = self._line.line(deadline).partition(b":")
            if not name:
                break
            if name.strip().lower() == b"sec-websocket-accept":
                accepted = value.strip()
        wanted = hashlib.sha1((nonce + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode("ascii")).digest()
        if status[1:2] != [b"101"] or accepted != base64.b64encode(wanted):
            raise _NotOpened()

    def _message(self) -> bytes:
        """The next text, put together of its fragments."""
        parts: List[bytes] = []
        size, deadline = 0, None
        while True:
            head = self._line.exactly(2, deadline)
            deadline = deadline or _Deadline(_FRAME_TIME)
            final, code, length = head[0] & 0x80, head[0] & 0x0F, head[1] & 0x7F
            if head[0] & 0x70 or head[1] & 0x80:
                raise ValueError("a server's frame has no mask and no extension")
            if length == 126:
                length = struct.unpack("!H", self._line.exactly(2, deadline))[0]
            elif length == 127:
                length = struct.unpack("!Q", self._line.exactly(8, deadline))[0]
            if code >= 8:
                if not final or length > 125:
                    raise ValueError("a control frame is short and whole")
                self._control(code, self._line.exactly(length, deadline))
                if not parts:
                    deadline = None
                continue
            size += length
            if size > _MOST_FRAME:
                raise ValueError("a frame has more than %d bytes" % _MOST_FRAME)
            if code != (0 if parts else 1):
                raise ValueError("a frame is no text, or out of turn")
            parts.append(self._line.exactly(length, deadline))
            if final:
                return b"".join(parts)
            if len(parts) > 10000:
                raise ValueError("a frame has too many fragments")

    def _control(self, code: int, data: bytes) -> None:
        if code == 9:
            self._send(10, data)
        elif code == 8:
            number = struct.unpack("!H", data[:2])[0] if len(data) >= 2 else 1005
            raise _Ended(number, data[2:].decode("utf-8", "replace"))
        elif code != 10:
            raise ValueError("no such frame")

    def _send(self, code: int, data: bytes) -> None:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        self._sock.settimeout(5.0)
        self._sock.sendall(bytes([0x80 | code, 0x80 | len(data)]) + mask + masked)


class _Events:
    """Server-sent events (HTML, 9.2) whose data is JSON, and the id to resume behind."""

    def __init__(self, client: _Client, target: str, last_id: Optional[str], stop: Any) -> None:
        deadline = _Deadline(client._timeout, _MOST_BESIDE, stop)
        self._connection = _Connection(client, deadline)
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity", "Host": client._named}
        if client._secret is not None:
            headers["Authorization"] = "Bearer " + client._secret
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        try:
            self._connection.request("GET", client._base + target, headers=headers)
            self._response = self._connection.getresponse()
        except BaseException:
            self._connection.end()
            raise
        self._id = last_id
        self._deadline = deadline
        status, kind = self._response.status, self._response.headers.get("content-type", "")
        if status == 200 and kind.lower().startswith("text/event-stream"):
            return
        self.close()
        if status >= 500:
            raise OSError("not now")
        if status == 200:
            raise MeshError("GET %s: the answer is no stream of events; %s" % (target, _WHERE), 200, "invalid_answer")
        raise _NotOpened()

    def __iter__(self) -> Iterator[Tuple[Any, Optional[str]]]:
        name, data, size = "message", [], 0
        while True:
            self._deadline.begin(_SILENCE, _MOST_FRAME + _MOST_BESIDE)
            line = self._response.readline(_MOST_FRAME)
            size += len(line)
            if size >= _MOST_FRAME:
                raise ValueError("an event has more than %d bytes" % _MOST_FRAME)
            if not line.endswith(b"\n"):
                raise ConnectionError("the stream was cut")
            field, _, value = line.decode("utf-8").rstrip("\r\n").partition(":")
            value = value[1:] if value.startswith(" ") else value
            if field == "data":
                data.append(value)
            elif field == "event":
                name = value
            elif field == "id" and re.match(r"[\x21-\x7e]{1,256}\Z", value):
                self._id = value
            elif line.strip() == b"":
                if name == "end":
                    raise _end_of("\n".join(data))
                if data:
                    yield _parsed("\n".join(data)), self._id
                name, data, size = "message", [], 0

    def close(self) -> None:
        self._connection.end()


def _end_of(text: str) -> _Ended:
    end = _parsed(text)
    code = end.get("code") if isinstance(end, dict) else None
    reason = end.get("reason") if isinstance(end, dict) else None
    return _Ended(code if isinstance(code, int) else 0, reason if isinstance(reason, str) else "")


def _read(response: http.client.HTTPResponse, most: int) -> bytes:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise ValueError("the answer is packed, which nobody asked for")
    data = response.read(most + 1)
    if len(data) > most:
        raise ValueError("the answer has more than %d bytes" % most)
    if response.length:
        raise ValueError("the answer was cut")
    return data


def _answer(line: str, response: http.client.HTTPResponse, data: bytes, kind: str) -> Any:
    if kind == "bytes":
        return data
    if kind == "nothing" or (kind == "value" and response.status == 204):
        return None
    if kind == "text":
        return data.decode("utf-8", "replace")
    try:
        value = _parsed(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise MeshError("%s: the answer is not JSON; %s" % (line, _WHERE), response.status, "invalid_answer") from error
    wanted = {"object": dict, "list": list}.get(kind, object)
    if not isinstance(value, wanted):
        raise MeshError("%s: the answer is no JSON %s; %s" % (line, kind, _WHERE), response.status, "invalid_answer")
    return value


def _refusal(line: str, response: http.client.HTTPResponse, key: Optional[str]) -> MeshError:
    """The error of an answer whose status is not 2xx, whatever its body is: a stranger wrote it."""
    status = response.status
    if status in _REDIRECTS:
        place = re.split(r"[?#]", response.headers.get("location", ""))[0]
        where = "to " + _visible(place[:_MOST_WORDS]) if place else "elsewhere"
        words = "%s: the server sends callers %s, and the client follows nowhere; give it the address behind that"
        return MeshError(words % (line, where), status, "redirected", key=key)
    try:
        problem = _parsed(_read(response, _MOST_PROBLEM).decode("utf-8"))
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        problem = None
    if not isinstance(problem, dict):
        problem = {}
    code = problem.get("code")
    sentences = (problem.get("detail"), problem.get("title"), response.reason, "HTTP status %d" % status)
    said = next(one for one in sentences if isinstance(one, str) and one != "")
    fields = problem.get("fields")
    wait = response.headers.get("retry-after", "")
    return MeshError(
        "%s: %s" % (line, _visible(said[:_MOST_WORDS])),
        status,
        code if isinstance(code, str) and re.match(r"\w{1,64}\Z", code, re.ASCII) else "http_%d" % status,
        tuple(one for one in fields if _is_field(one)) if isinstance(fields, list) else (),
        min(int(wait), _LONGEST_WAIT) if re.match(r"[0-9]{1,9}\Z", wait) else None,
        key,
    )


def _is_field(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("pointer"), str) and isinstance(one.get("message"), str)


def _is_number(value: Any, below: int) -> bool:
    """Whether it counts a frame that comes behind the one below."""
    return isinstance(value, int) and not isinstance(value, bool) and below < value < 2**53


def _parsed(text: str) -> Any:
    return json.loads(text, parse_int=_whole, parse_constant=_no_constant)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number has more than %d digits" % _MOST_DIGITS)
    return int(digits)


def _no_constant(name: str) -> Any:
    raise ValueError("%s is no JSON" % name)


def _queried(query: Optional[Dict[str, Any]]) -> str:
    def text(value: Any) -> str:
        return ("true" if value else "false") if isinstance(value, bool) else str(value)

    pairs = [(name, text(value)) for name, value in (query or {}).items() if value is not None]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _part(name: str, value: Any, rest: bool = False) -> str:
    """An id that a stranger gave must not lead to another operation: `..` would, in whatever way it is written."""
    pieces = str(value).split("/") if rest else [str(value)]
    if value is None or any(piece in ("", ".", "..") for piece in pieces):
        raise ValueError("%s is a part of a path: it may not be absent, empty, . or .." % name)
    return "/".join(urllib.parse.quote(piece, safe="") for piece in pieces)


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.timeout):
        return "no answer in time"
    return _visible(str(error)) or type(error).__name__


def _visible(text: str) -> str:
    """A stranger's text without what would move a terminal's cursor or turn the direction of what stands around it."""
    shown = (repr(one)[1:-1] if unicodedata.category(one) == "Cc" or one in _BIDI else one for one in text)
    return "".join(shown)


def _header_value(secret: Optional[str]) -> Optional[str]:
    """A secret as it came out of a file. What no header carries is refused here, where the error does not show it."""
    value = secret.strip() if secret is not None else None
    if value is not None and not re.match(r"[\x21-\x7e]+\Z", value):
        raise ValueError("the secret is empty or has characters that no header carries; give the content of api-secret")
    return value


def _is_set(stop: Any) -> bool:
    return stop is not None and stop.is_set()


def _wait(seconds: float, stop: Any) -> None:
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


class _Group:
    def __init__(self, client: _Client) -> None:
        self._client = client


# Generated from docs/openapi-*.json by `npm run clients`. Do not edit below this line.


class _NodeA2A(_Group):
    def card(
        self,
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /.well-known/agent-card.json: The A2A card of the agent of this node, signed"""
        return self._client._call("GET", "/.well-known/agent-card.json", "object", headers={"if-none-match": if_none_match}, timeout=timeout)

    def keys(
        self,
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /.well-known/jwks.json: The key that signs the cards of this node"""
        return self._client._call("GET", "/.well-known/jwks.json", "object", headers={"if-none-match": if_none_match}, timeout=timeout)

    def hire_rpc(
        self,
        agent: str,
        data: bytes,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """POST /a2a/hire/{agent}: A2A over JSON-RPC for the owner, who hires an agent of the mesh; the answer is JSON or an event
        stream"""
        return self._client._call("POST", "/a2a/hire/%s" % (_part("agent", agent),), "value", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, body=data, also=503, timeout=timeout)

    def card_to_hire(
        self,
        agent: str,
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /a2a/hire/{agent}/.well-known/agent-card.json: The A2A card by which the owner hires an agent of the mesh"""
        return self._client._call("GET", "/a2a/hire/%s/.well-known/agent-card.json" % (_part("agent", agent),), "object", headers={"if-none-match": if_none_match}, timeout=timeout)

    def hire_remove(
        self,
        agent: str,
        path: str,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """DELETE /a2a/hire/{agent}/{path*}: A2A over HTTP+JSON for the owner, who hires an agent of the mesh: deletes"""
        return self._client._call("DELETE", "/a2a/hire/%s/%s" % (_part("agent", agent), _part("path", path, True),), "bytes", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, timeout=timeout)

    def hire_read(
        self,
        agent: str,
        path: str,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /a2a/hire/{agent}/{path*}: A2A over HTTP+JSON for the owner, who hires an agent of the mesh: reads"""
        return self._client._call("GET", "/a2a/hire/%s/%s" % (_part("agent", agent), _part("path", path, True),), "bytes", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, timeout=timeout)

    def hire_act(
        self,
        agent: str,
        path: str,
        data: bytes,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """POST /a2a/hire/{agent}/{path*}: A2A over HTTP+JSON for the owner, who hires an agent of the mesh: acts"""
        return self._client._call("POST", "/a2a/hire/%s/%s" % (_part("agent", agent), _part("path", path, True),), "bytes", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, body=data, timeout=timeout)

    def jobs(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /a2a/jobs: Work that A2A agents elsewhere do for the owner, the newest first.

        limit: How many to return; 200 at most.
        offset: How many of the newest to leave out.
        """
        return self._client._call("GET", "/a2a/jobs", "object", query={"limit": limit, "offset": offset}, timeout=timeout)

    def begin_job(
        self,
        *,
        card_url: str,
        message: str,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /a2a/jobs: Reads the card of an A2A agent elsewhere and gives it a task; answers when the agent has taken or refused
        it.

        card_url: The card, or the address below which it is at /.well-known/agent-card.json.
        message: Plain text.
        """
        return self._client._call("POST", "/a2a/jobs", "object", body={"card_url": card_url, "message": message}, once=True, key=key, timeout=timeout)

    def job(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /a2a/jobs/{id}: How a job stands, with the work."""
        return self._client._call("GET", "/a2a/jobs/%s" % (_part("id", id),), "object", timeout=timeout)

    def cancel_job(
        self,
        id: str,
        *,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /a2a/jobs/{id}/cancel: Asks the agent to cancel the task."""
        return self._client._call("POST", "/a2a/jobs/%s/cancel" % (_part("id", id),), "object", once=True, key=key, timeout=timeout)

    def say_to_job(
        self,
        id: str,
        *,
        message: str,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /a2a/jobs/{id}/messages: Answers an agent that waits for its client, or adds something to the task.

        message: Plain text.
        """
        return self._client._call("POST", "/a2a/jobs/%s/messages" % (_part("id", id),), "object", body={"message": message}, once=True, key=key, timeout=timeout)

    def rpc(
        self,
        agent: str,
        data: bytes,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """POST /a2a/{agent}: A2A over JSON-RPC for clients of the agents of this node; the answer is JSON or an event stream"""
        return self._client._call("POST", "/a2a/%s" % (_part("agent", agent),), "value", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, body=data, also=503, timeout=timeout)

    def card_of(
        self,
        agent: str,
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /a2a/{agent}/.well-known/agent-card.json: The A2A card of an agent of this node"""
        return self._client._call("GET", "/a2a/%s/.well-known/agent-card.json" % (_part("agent", agent),), "object", headers={"if-none-match": if_none_match}, timeout=timeout)

    def remove(
        self,
        agent: str,
        path: str,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """DELETE /a2a/{agent}/{path*}: A2A over HTTP+JSON for clients of the agents of this node: deletes"""
        return self._client._call("DELETE", "/a2a/%s/%s" % (_part("agent", agent), _part("path", path, True),), "bytes", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, timeout=timeout)

    def read(
        self,
        agent: str,
        path: str,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /a2a/{agent}/{path*}: A2A over HTTP+JSON for clients of the agents of this node: reads"""
        return self._client._call("GET", "/a2a/%s/%s" % (_part("agent", agent), _part("path", path, True),), "bytes", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, timeout=timeout)

    def act(
        self,
        agent: str,
        path: str,
        data: bytes,
        *,
        contextId: Optional[str] = None,
        status: Optional[str] = None,
        pageSize: Optional[str] = None,
        pageToken: Optional[str] = None,
        historyLength: Optional[str] = None,
        statusTimestampAfter: Optional[str] = None,
        includeArtifacts: Optional[str] = None,
        A2A_Version: Optional[str] = None,
        tenant: Optional[str] = None,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        a2a_version: Optional[str] = None,
        a2a_extensions: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """POST /a2a/{agent}/{path*}: A2A over HTTP+JSON for clients of the agents of this node: acts"""
        return self._client._call("POST", "/a2a/%s/%s" % (_part("agent", agent), _part("path", path, True),), "bytes", query={"contextId": contextId, "status": status, "pageSize": pageSize, "pageToken": pageToken, "historyLength": historyLength, "statusTimestampAfter": statusTimestampAfter, "includeArtifacts": includeArtifacts, "A2A-Version": A2A_Version, "tenant": tenant}, headers={"accept": accept, "content-type": content_type, "a2a-version": a2a_version, "a2a-extensions": a2a_extensions}, body=data, timeout=timeout)


class _NodeAgentProcess(_Group):
    def register_pid(
        self,
        *,
        pid: int,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /agent/register-pid: Registers the running process of the agent, which has to be of the same user, with the time it
        began."""
        return self._client._call("POST", "/agent/register-pid", "object", body={"pid": pid}, timeout=timeout)

    def reload(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /agent/reload: Ends the registered process, by force after the grace, and starts the program at its path again with
        the same arguments, folder and variables."""
        return self._client._call("POST", "/agent/reload", "object", timeout=timeout)


class _NodeAggregators(_Group):
    def list(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /aggregators: The aggregators that this node reports to, and whether each is there and of its network; it looks first."""
        return self._client._call("GET", "/aggregators", "list", timeout=timeout)


class _NodeBatches(_Group):
    def summary(
        self,
        agent_id: str,
        epoch: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /batch/{agent_id}/{epoch}: The behavior batch of an agent and epoch: its own from the journal, others’ from the
        ledger."""
        return self._client._call("GET", "/batch/%s/%s" % (_part("agent_id", agent_id), _part("epoch", epoch),), "object", timeout=timeout)

    def proof(
        self,
        agent_id: str,
        epoch: str,
        nonce: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /batch/{agent_id}/{epoch}/proof/{nonce}: Proves that an envelope stands in a batch."""
        return self._client._call("GET", "/batch/%s/%s/proof/%s" % (_part("agent_id", agent_id), _part("epoch", epoch), _part("nonce", nonce),), "object", timeout=timeout)


class _NodeDeals(_Group):
    def list(
        self,
        *,
        state: Optional[str] = None,
        limit: Optional[int] = None,
        before: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /deals: The deals of this node, the most recently changed first.

        before: The `next` of the page before.
        """
        return self._client._call("GET", "/deals", "object", query={"state": state, "limit": limit, "before": before}, timeout=timeout)

    def get(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /deals/{conversation_id}: A deal: its state, history, deadline and what you may do next."""
        return self._client._call("GET", "/deals/%s" % (_part("conversation_id", conversation_id),), "object", timeout=timeout)

    def pay(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /deals/{conversation_id}/pay: Pays what is owed in USDC and waits for the ledger; repeating it pays once."""
        return self._client._call("POST", "/deals/%s/pay" % (_part("conversation_id", conversation_id),), "object", timeout=timeout)


class _NodeDeliveries(_Group):
    def read(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /deals/{conversation_id}/delivery: The bytes of a delivery above 48 KiB, fetched from its provider and compared with
        their hash."""
        return self._client._call("GET", "/deals/%s/delivery" % (_part("conversation_id", conversation_id),), "bytes", timeout=timeout)


class _NodeEnvelopes(_Group):
    def send(
        self,
        *,
        msg_type: str,
        recipient: Optional[Any] = None,
        conversation_id: Optional[Any] = None,
        payload: Optional[Dict[str, Any]] = None,
        payload_b64: Optional[str] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /envelopes/send: Sends a signed envelope to one agent, or to everybody.

        msg_type: A message type by name, in any case.
        recipient: Needed for every type that is not broadcast; of a FEEDBACK whom it rates.
        conversation_id: A fresh one is made when absent.
        payload: The payload as JSON, in the shape of its message type. Members that the request or the deal says already may
            be left out.
        payload_b64: The payload's bytes in base64, instead of `payload`; of a DELIVER the content itself, which is wrapped,
            and above 48 KiB kept for the recipient to fetch. JSON is taken for every type.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/envelopes/send", "object", body={"msg_type": msg_type, "recipient": recipient, "conversation_id": conversation_id, "payload": payload, "payload_b64": payload_b64, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def trace(
        self,
        envelope_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /envelopes/{envelope_id}: The way of an envelope, hop by hop."""
        return self._client._call("GET", "/envelopes/%s" % (_part("envelope_id", envelope_id),), "object", timeout=timeout)

    def message(
        self,
        *,
        recipient: str,
        text: str,
        conversation_id: Optional[Any] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /message: Sends a plain text to one agent; no deal is needed.

        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        text: At most 16 384 bytes of UTF-8.
        conversation_id: That of a deal, or of the message this one answers; a fresh one is made when absent.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/message", "object", body={"recipient": recipient, "text": text, "conversation_id": conversation_id, "sealed": sealed}, once=True, key=key, timeout=timeout)


class _NodeEscrow(_Group):
    def approve(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/approve: Releases the locked amount to the provider, as the requester; the bond comes back, after a contest
        the offered share of it.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/escrow/approve", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider}, timeout=timeout)

    def claim(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/claim: Takes what nobody answered within the review; the node does so by itself.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/escrow/claim", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider}, timeout=timeout)

    def contest(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        max_bps: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/contest: Refuses the offer of a dispute, as the provider: its notary decides, or what is in dispute burns.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        max_bps: The highest offer, in basis points, that is refused: an offer that was raised above it meanwhile is not
            burnt.
        """
        return self._client._call("POST", "/escrow/contest", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider, "max_bps": max_bps}, timeout=timeout)

    def deliver(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/deliver: Names the DELIVER of a deal on the ledger, as its provider; the node does so by itself.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/escrow/deliver", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider}, timeout=timeout)

    def dispute(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        offer_bps: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/dispute: Objects within the review, as the requester, and offers a share; again while disputed raises it.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        offer_bps: The provider's share of the amount, in basis points. When left out the lowest that the terms allow: 0,
            unless the deal has a dispute_bps.
        """
        return self._client._call("POST", "/escrow/dispute", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider, "offer_bps": offer_bps}, timeout=timeout)

    def lock(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        notary: Optional[Any] = None,
        deadline_secs: Optional[int] = None,
        review_secs: Optional[int] = None,
        bond_usdc: Optional[str] = None,
        bond_usdc_micro: Optional[Any] = None,
        dispute_bps: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/lock: Locks the agreed amount of an accepted deal, as its requester.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        bond_usdc: A USDC amount as a decimal string with at most six decimals.
        bond_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        """
        return self._client._call("POST", "/escrow/lock", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "notary": notary, "deadline_secs": deadline_secs, "review_secs": review_secs, "bond_usdc": bond_usdc, "bond_usdc_micro": bond_usdc_micro, "dispute_bps": dispute_bps}, timeout=timeout)

    def reclaim(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/reclaim: Takes back what was not delivered before the deadline; the node does so by itself.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/escrow/reclaim", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider}, timeout=timeout)

    def refund(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/refund: Gives the locked amount and the bond back, as the provider.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/escrow/refund", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider}, timeout=timeout)

    def set_payee(
        self,
        *,
        conversation_id: str,
        wallet: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/set-payee: Has the release paid to another wallet, as the provider, such as to a deposit address of an
        aggregator.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        wallet: A ledger address: 32 bytes in base58.
        """
        return self._client._call("POST", "/escrow/set-payee", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider, "wallet": wallet}, timeout=timeout)

    def split(
        self,
        *,
        conversation_id: str,
        requester: Optional[str] = None,
        provider: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /escrow/split: Ends a dispute: the offer stands, or what was contested burns; the node does so by itself.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        requester: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        provider: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/escrow/split", "object", body={"conversation_id": conversation_id, "requester": requester, "provider": provider}, timeout=timeout)

    def get(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /escrow/{conversation_id}: What is locked for a deal of this node, from the ledger's finalised state."""
        return self._client._call("GET", "/escrow/%s" % (_part("conversation_id", conversation_id),), "object", timeout=timeout)


class _NodeEvents(_Group):
    def events(
        self,
        *,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/events: Events of the node from now on: envelope, peer, deal, reputation, batch, lease, plugin."""
        return self._client._frames("/ws/events", {}, None, stop, _WebSocket)


class _NodeExempt(_Group):
    def list(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /admin/exempt: The exempt agents, in the order of their ids.

        after: The last id of the page before this one.
        """
        return self._client._call("GET", "/admin/exempt", "object", query={"limit": limit, "after": after}, timeout=timeout)

    def add(
        self,
        *,
        agent_id: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /admin/exempt: Exempts an agent from the gates from now on, over restarts too; at most 10 000 are.

        agent_id: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        """
        return self._client._call("POST", "/admin/exempt", "object", body={"agent_id": agent_id}, timeout=timeout)

    def remove(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """DELETE /admin/exempt/{agent_id}: Has the gates judge an agent again; one that is not exempt stays so."""
        return self._client._call("DELETE", "/admin/exempt/%s" % (_part("agent_id", agent_id),), "object", timeout=timeout)


class _NodeExplorer(_Group):
    def pages(
        self,
        path: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /explorer/{path*}: The console of this node, and what it loads."""
        return self._client._call("GET", "/explorer/%s" % (_part("path", path, True),), "bytes", timeout=timeout)

    def search_guides(
        self,
        *,
        q: str,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /guide-sections: Finds sections of the guides by their words.

        q: Words, or their beginnings; a section has all of them, of at most eight.
        limit: Sections at most.
        """
        return self._client._call("GET", "/guide-sections", "object", query={"q": q, "limit": limit}, timeout=timeout)

    def guides(
        self,
        path: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /guides/{path*}: The guides of this version, as Markdown."""
        return self._client._call("GET", "/guides/%s" % (_part("path", path, True),), "bytes", timeout=timeout)


class _NodeFeedback(_Group):
    def feedback(
        self,
        *,
        conversation_id: str,
        score: int,
        target_agent: Optional[str] = None,
        recipient: Optional[str] = None,
        outcome: Optional[Any] = None,
        role: Optional[Any] = None,
        is_dispute: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /feedback: Rates the other side of a deal that has ended, or as its notary either side, for everybody to see.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        target_agent: The other side by default; a notary names the side that it rates.
        recipient: The same as `target_agent`.
        outcome: Follows from the score when absent. 0 is negative, 1 neutral, 2 positive.
        role: As what you rate: `notary` (1) where you were the notary of the deal, else `participant` (0). Follows from the
            deal when absent.
        """
        return self._client._call("POST", "/feedback", "object", body={"conversation_id": conversation_id, "target_agent": target_agent, "recipient": recipient, "score": score, "outcome": outcome, "role": role, "is_dispute": is_dispute}, once=True, key=key, timeout=timeout)


class _NodeHosting(_Group):
    def hosted_advertise(
        self,
        *,
        capabilities: Optional[List[Any]] = None,
        description: Optional[str] = None,
        agent_type: Optional[str] = None,
        geo: Optional[Dict[str, Any]] = None,
        token_address: Optional[str] = None,
        min_token_hold: Optional[int] = None,
        downpayment_bps: Optional[int] = None,
        price_range_usd: Optional[List[Any]] = None,
        capability_proofs: Optional[List[Any]] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/advertise: Says to everybody what the agent can do, where and for how much.

        capabilities: Words such as translate: the network folds them to small letters and keeps letters, digits, - and _.
        token_address: A ledger address: 32 bytes in base58.
        price_range_usd: Lowest and highest price, in USD.
        """
        return self._client._call("POST", "/hosted/advertise", "object", body={"capabilities": capabilities, "description": description, "agent_type": agent_type, "geo": geo, "token_address": token_address, "min_token_hold": min_token_hold, "downpayment_bps": downpayment_bps, "price_range_usd": price_range_usd, "capability_proofs": capability_proofs}, once=True, key=key, timeout=timeout)

    def hosted_agents(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/agents: The agents that this node hosts, with their accounts.

        after: The `next` of the page before.
        """
        return self._client._call("GET", "/hosted/agents", "object", query={"limit": limit, "after": after}, timeout=timeout)

    def remove_hosted_agent(
        self,
        agent_id: str,
        *,
        abandon_usdc: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """DELETE /hosted/agents/{agent_id}: Ends with a hosted agent, as the operator; its account and statement stay.

        abandon_usdc: Ends with the agent although its key holds USDC, which is lost with it.
        """
        return self._client._call("DELETE", "/hosted/agents/%s" % (_part("agent_id", agent_id),), "object", query={"abandon_usdc": abandon_usdc}, timeout=timeout)

    def credit_hosted_agent(
        self,
        agent_id: str,
        *,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        reference: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/agents/{agent_id}/credit: Puts USDC that its client has paid to the operator into the prepaid account of a
        hosted agent.

        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        reference: Stands on the statement, such as the signature of the payment.
        """
        return self._client._call("POST", "/hosted/agents/%s/credit" % (_part("agent_id", agent_id),), "object", body={"amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "reference": reference}, once=True, key=key, timeout=timeout)

    def debit_hosted_agent(
        self,
        agent_id: str,
        *,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        reference: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/agents/{agent_id}/debit: Takes USDC that the operator has paid back out of a prepaid account, also of an
        agent that is gone.

        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        reference: Stands on the statement, such as the signature of the payment.
        """
        return self._client._call("POST", "/hosted/agents/%s/debit" % (_part("agent_id", agent_id),), "object", body={"amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "reference": reference}, once=True, key=key, timeout=timeout)

    def hosted_account_statement(
        self,
        agent_id: str,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/agents/{agent_id}/statement: The statement of a prepaid account, also of an agent that is gone.

        before: Only lines with a smaller number.
        """
        return self._client._call("GET", "/hosted/agents/%s/statement" % (_part("agent_id", agent_id),), "object", query={"limit": limit, "before": before}, timeout=timeout)

    def renew_hosted_token(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/agents/{agent_id}/token: Gives a hosted agent another token, for a client that lost its own."""
        return self._client._call("POST", "/hosted/agents/%s/token" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def hosted_bounty(
        self,
        *,
        required_capability: str,
        max_budget_usd: float,
        deadline_secs: Optional[int] = None,
        task_summary: Optional[str] = None,
        conversation_id: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/bounty: Offers work to whoever can do it; who wants it writes a MESSAGE in this conversation.

        conversation_id: A fresh one is made when absent.
        """
        return self._client._call("POST", "/hosted/bounty", "object", body={"required_capability": required_capability, "max_budget_usd": max_budget_usd, "deadline_secs": deadline_secs, "task_summary": task_summary, "conversation_id": conversation_id}, once=True, key=key, timeout=timeout)

    def hosted_deals(
        self,
        *,
        state: Optional[str] = None,
        limit: Optional[int] = None,
        before: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/deals: The deals of the agent, the most recently changed first.

        before: The `next` of the page before.
        """
        return self._client._call("GET", "/hosted/deals", "object", query={"state": state, "limit": limit, "before": before}, timeout=timeout)

    def hosted_deal(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/deals/{conversation_id}: A deal of the agent."""
        return self._client._call("GET", "/hosted/deals/%s" % (_part("conversation_id", conversation_id),), "object", timeout=timeout)

    def hosted_delivery(
        self,
        conversation_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /hosted/deals/{conversation_id}/delivery: The bytes of a delivery above 48 KiB, fetched from its provider and compared
        with their hash."""
        return self._client._call("GET", "/hosted/deals/%s/delivery" % (_part("conversation_id", conversation_id),), "bytes", timeout=timeout)

    def hosted_deliver(
        self,
        *,
        conversation_id: str,
        content_type: Optional[str] = None,
        content: Optional[str] = None,
        content_b64: Optional[str] = None,
        payload_uri: Optional[str] = None,
        text: Optional[str] = None,
        payload: Optional[Any] = None,
        payload_b64: Optional[str] = None,
        inline_b64: Optional[str] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/deliver: Hands over the work.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        text: The same as `content`.
        payload: The same as `content`: a string. JSON goes into `content`, as text.
        payload_b64: The same as `content_b64`.
        inline_b64: The same as `content_b64`.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/hosted/deliver", "object", body={"conversation_id": conversation_id, "content_type": content_type, "content": content, "content_b64": content_b64, "payload_uri": payload_uri, "text": text, "payload": payload, "payload_b64": payload_b64, "inline_b64": inline_b64, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def hosted_dispute(
        self,
        *,
        conversation_id: str,
        reason: Optional[str] = None,
        offer_bps: Optional[int] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/dispute: Objects to a delivery, as the requester. Everybody may read it.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        offer_bps: The share of the locked amount that the provider may keep, in basis points; the least that the terms allow
            unless given.
        """
        return self._client._call("POST", "/hosted/dispute", "object", body={"conversation_id": conversation_id, "reason": reason, "offer_bps": offer_bps}, once=True, key=key, timeout=timeout)

    def hosted_feedback(
        self,
        *,
        conversation_id: str,
        score: int,
        target_agent: Optional[str] = None,
        recipient: Optional[str] = None,
        outcome: Optional[Any] = None,
        role: Optional[Any] = None,
        is_dispute: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/feedback: Rates the other side of a deal that has ended, for everybody to see.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        target_agent: The other side by default; a notary names the side that it rates.
        recipient: The same as `target_agent`.
        outcome: Follows from the score when absent. 0 is negative, 1 neutral, 2 positive.
        role: As what you rate: `notary` (1) where you were the notary of the deal, else `participant` (0). Follows from the
            deal when absent.
        """
        return self._client._call("POST", "/hosted/feedback", "object", body={"conversation_id": conversation_id, "target_agent": target_agent, "recipient": recipient, "score": score, "outcome": outcome, "role": role, "is_dispute": is_dispute}, once=True, key=key, timeout=timeout)

    def hosted_inbox(
        self,
        *,
        since: Optional[int] = None,
        conversation_id: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/inbox: Inbound envelopes of the agent behind a cursor, for clients without WebSockets.

        since: The cursor of the last frame you have; 0 from the start.
        """
        return self._client._call("GET", "/hosted/inbox", "object", query={"since": since, "conversation_id": conversation_id, "limit": limit}, timeout=timeout)

    def acknowledge_hosted_inbox(
        self,
        *,
        cursor: int,
        timeout: Optional[float] = None,
    ) -> None:
        """POST /hosted/inbox/ack: Forgets the frames of the agent up to a cursor."""
        return self._client._call("POST", "/hosted/inbox/ack", "nothing", body={"cursor": cursor}, timeout=timeout)

    def move_hosted_agent(
        self,
        *,
        successor: str,
        time: Optional[int] = None,
        signature_b64: Optional[str] = None,
        abandon_deals: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/move: Begins the move to another host: names the key under which the agent shall go on. It stays until that
        key takes over; the answer goes to the other host.

        successor: The fresh agent that the other host has registered.
        time: Unix seconds; now unless given.
        signature_b64: Of the recovery key over succession/1 (old key, new key, time). An agent that named no recovery key
            needs none.
        abandon_deals: Moves although deals are open: they stay with the old key, and what it leaves undelivered counts
            against the agent.
        """
        return self._client._call("POST", "/hosted/move", "object", body={"successor": successor, "time": time, "signature_b64": signature_b64, "abandon_deals": abandon_deals}, timeout=timeout)

    def hosted_accept(
        self,
        *,
        conversation_id: str,
        recipient: Optional[str] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        offer_id: Optional[str] = None,
        message: Optional[Any] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/negotiate/accept: Accepts the last offer.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        offer_id: The envelope id of the offer that is meant: a newer one is not accepted in its place.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/hosted/negotiate/accept", "object", body={"conversation_id": conversation_id, "recipient": recipient, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "offer_id": offer_id, "message": message, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def hosted_counter(
        self,
        *,
        conversation_id: str,
        recipient: Optional[str] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        message: Optional[str] = None,
        expires_at: Optional[str] = None,
        round: Optional[int] = None,
        max_rounds: Optional[Any] = None,
        sealed: Optional[bool] = None,
        deadline_secs: Optional[int] = None,
        review_secs: Optional[int] = None,
        notary: Optional[str] = None,
        bond_usdc: Optional[str] = None,
        bond_usdc_micro: Optional[Any] = None,
        dispute_bps: Optional[int] = None,
        acceptance: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/negotiate/counter: Answers an offer with another.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        expires_at: A moment in UTC, ISO 8601.
        round: Checked against the deal when given.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        notary: Another notary than that of the offer before.
        bond_usdc: A USDC amount as a decimal string with at most six decimals.
        bond_usdc_micro: The bond that the requester locks besides the amount, at most twice the amount. When neither is
            given: that of the offer before, and half of the new amount where that was half of its own.
        dispute_bps: The lowest share of the amount, in basis points, that a dispute may offer the provider; that of the offer
            before unless told otherwise.
        acceptance: SHA-256, in hex, of the schema or test program by which both agree to judge the delivery; a plugin of a
            node may run it.
        """
        return self._client._call("POST", "/hosted/negotiate/counter", "object", body={"conversation_id": conversation_id, "recipient": recipient, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "message": message, "expires_at": expires_at, "round": round, "max_rounds": max_rounds, "sealed": sealed, "deadline_secs": deadline_secs, "review_secs": review_secs, "notary": notary, "bond_usdc": bond_usdc, "bond_usdc_micro": bond_usdc_micro, "dispute_bps": dispute_bps, "acceptance": acceptance}, once=True, key=key, timeout=timeout)

    def hosted_propose(
        self,
        *,
        recipient: str,
        message: str,
        conversation_id: Optional[Any] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        max_rounds: Optional[int] = None,
        deadline_secs: Optional[int] = None,
        review_secs: Optional[int] = None,
        expires_at: Optional[str] = None,
        sealed: Optional[bool] = None,
        escrow: Optional[bool] = None,
        notary: Optional[str] = None,
        bond_usdc: Optional[str] = None,
        bond_usdc_micro: Optional[Any] = None,
        dispute_bps: Optional[int] = None,
        acceptance: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/negotiate/propose: Offers a deal to an agent.

        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        message: The work that is asked for.
        expires_at: A moment in UTC, ISO 8601.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        escrow: Whether the amount must be locked on the ledger within an hour of ACCEPT; where the mesh has the settlement
            program and the terms allow it, true unless told otherwise.
        notary: A third party who gives a verdict on the delivery, and decides when a dispute is contested; its silence then
            burns what is in dispute.
        bond_usdc: A USDC amount as a decimal string with at most six decimals.
        bond_usdc_micro: The bond that the requester locks besides the amount, at most twice the amount; half of the amount
            when neither is given and escrow is agreed.
        dispute_bps: The lowest share of the amount, in basis points, that a dispute may offer the provider; 0 unless told
            otherwise.
        acceptance: SHA-256, in hex, of the schema or test program by which both agree to judge the delivery; a plugin of a
            node may run it.
        """
        return self._client._call("POST", "/hosted/negotiate/propose", "object", body={"recipient": recipient, "conversation_id": conversation_id, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "message": message, "max_rounds": max_rounds, "deadline_secs": deadline_secs, "review_secs": review_secs, "expires_at": expires_at, "sealed": sealed, "escrow": escrow, "notary": notary, "bond_usdc": bond_usdc, "bond_usdc_micro": bond_usdc_micro, "dispute_bps": dispute_bps, "acceptance": acceptance}, once=True, key=key, timeout=timeout)

    def hosted_reject(
        self,
        *,
        conversation_id: str,
        reason: Optional[str] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/negotiate/reject: Refuses an offer, or withdraws one.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/hosted/negotiate/reject", "object", body={"conversation_id": conversation_id, "reason": reason, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def hosted_ping(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/ping: Whether this host is there and, with a token, whether it still knows the agent."""
        return self._client._call("GET", "/hosted/ping", "object", timeout=timeout)

    def hosted_balances(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/portfolio/balances: SOL and tokens in the ledger account of the agent, whose address is its key."""
        return self._client._call("GET", "/hosted/portfolio/balances", "object", timeout=timeout)

    def hosted_history(
        self,
        *,
        type: Optional[Any] = None,
        limit: Optional[int] = None,
        before: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/portfolio/history: The sweeps of the agent that are final, newest first.

        type: Only entries of this type.
        before: The `next` of the page before.
        """
        return self._client._call("GET", "/hosted/portfolio/history", "object", query={"type": type, "limit": limit, "before": before}, timeout=timeout)

    def hosted_register(
        self,
        *,
        name: Optional[str] = None,
        recovery_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/register: Makes an agent with a fresh key, which this host keeps and signs with.

        name: Shown to the mesh: printable ASCII.
        recovery_key: A key of the client, which may name a successor of the agent. The first one published counts.
        """
        return self._client._call("POST", "/hosted/register", "object", body={"name": name, "recovery_key": recovery_key}, timeout=timeout)

    def hosted_send(
        self,
        *,
        msg_type: str,
        recipient: Optional[Any] = None,
        conversation_id: Optional[Any] = None,
        payload: Optional[Dict[str, Any]] = None,
        payload_hex: Optional[str] = None,
        payload_b64: Optional[str] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/send: Sends a message, signed by this host with the key of the agent.

        msg_type: A message type by name, in any case.
        recipient: Needed for every type that does not go to everybody.
        conversation_id: A fresh one is made when absent.
        payload: The payload as JSON, in the shape of its message type.
        payload_hex: The payload's bytes in hex; of a MESSAGE its text.
        payload_b64: The same in base64.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/hosted/send", "object", body={"msg_type": msg_type, "recipient": recipient, "conversation_id": conversation_id, "payload": payload, "payload_hex": payload_hex, "payload_b64": payload_b64, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def leave_host(
        self,
        *,
        abandon_usdc: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """DELETE /hosted/session: Ends with the agent of the token: its key is destroyed, and what it has not sent is not sent any
        more.

        abandon_usdc: Ends with the agent although its key holds USDC, which is lost with it.
        """
        return self._client._call("DELETE", "/hosted/session", "object", query={"abandon_usdc": abandon_usdc}, timeout=timeout)

    def hosted_session(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/session: The agent of the token, with its prepaid account."""
        return self._client._call("GET", "/hosted/session", "object", timeout=timeout)

    def rotate_hosted_token(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/session/rotate: Gives another token; the one that was shown holds no more."""
        return self._client._call("POST", "/hosted/session/rotate", "object", timeout=timeout)

    def hosted_statement(
        self,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /hosted/statement: The statement of the agent's prepaid account, the newest line first.

        before: Only lines with a smaller number.
        """
        return self._client._call("GET", "/hosted/statement", "object", query={"limit": limit, "before": before}, timeout=timeout)

    def take_over_agent(
        self,
        *,
        agent_id: str,
        successor: str,
        time: int,
        signature_b64: str,
        claim: Dict[str, Any],
        name: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/take-over: Has the agent of the token, which must be fresh, go on for an agent that moves here from another
        host.

        agent_id: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        successor: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        time: Unix seconds.
        signature_b64: Of the recovery key, over succession/1.
        name: Goes along: 1 to 64 printable ASCII characters.
        claim: The old key's word (host/1) on its host and its recovery key.
        """
        return self._client._call("POST", "/hosted/take-over", "object", body={"agent_id": agent_id, "successor": successor, "time": time, "signature_b64": signature_b64, "name": name, "claim": claim}, timeout=timeout)

    def hosted_sweep(
        self,
        *,
        destination: str,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        amount: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosted/wallet/sweep: Sends USDC that came to the ledger account of the agent to a wallet. SOL in that account pays
        the fee, and the rent of a token account that is made.

        destination: The wallet that gets the USDC: 32 bytes in base58, or 64 hex digits. Its token account is made when it is
            missing.
        amount_usdc: So much and no more.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        amount: The same as `amount_usdc_micro`, under the name that earlier clients use.
        """
        return self._client._call("POST", "/hosted/wallet/sweep", "object", body={"destination": destination, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "amount": amount}, once=True, key=key, timeout=timeout)

    def hosted_frames(
        self,
        *,
        since: Optional[int] = None,
        unacked: Optional[str] = None,
        msg_type: Optional[str] = None,
        conversation_id: Optional[str] = None,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/hosted/inbox: Inbound envelopes of the agent as they come, after a first frame that says how many wait; with
        `since` or `unacked` those that wait come first. It ends with its token.

        since: The cursor of the last frame you have; 0 from the start. Acknowledged letters do not come again.
        unacked: `1`: first everything that was not acknowledged, as `since=0`.
        """
        return self._client._frames("/ws/hosted/inbox", {"since": since, "unacked": unacked, "msg_type": msg_type, "conversation_id": conversation_id}, "cursor", stop, _WebSocket)


class _NodeIdentity(_Group):
    def identity(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /identity: Who this node is."""
        return self._client._call("GET", "/identity", "object", timeout=timeout)


class _NodeInbox(_Group):
    def page(
        self,
        *,
        since: Optional[int] = None,
        conversation_id: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /inbox: Inbound envelopes behind a cursor, for clients without WebSockets.

        since: The cursor of the last frame you have; 0 from the start.
        """
        return self._client._call("GET", "/inbox", "object", query={"since": since, "conversation_id": conversation_id, "limit": limit}, timeout=timeout)

    def acknowledge(
        self,
        *,
        cursor: int,
        timeout: Optional[float] = None,
    ) -> None:
        """POST /inbox/ack: Forgets the frames up to a cursor."""
        return self._client._call("POST", "/inbox/ack", "nothing", body={"cursor": cursor}, timeout=timeout)

    def frames(
        self,
        *,
        since: Optional[int] = None,
        unacked: Optional[str] = None,
        msg_type: Optional[str] = None,
        conversation_id: Optional[str] = None,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/inbox: Inbound envelopes as they come, after a first frame that says how many wait; with `since` or `unacked`
        those that wait come first.

        since: The cursor of the last frame you have; 0 from the start. Acknowledged letters do not come again.
        unacked: `1`: first everything that was not acknowledged, as `since=0`.
        """
        return self._client._frames("/ws/inbox", {"since": since, "unacked": unacked, "msg_type": msg_type, "conversation_id": conversation_id}, "cursor", stop, _WebSocket)


class _NodeInspection(_Group):
    def plugins(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /plugins: The parts and plugins of this node: where each is from, how it is, what it may do and what it serves."""
        return self._client._call("GET", "/plugins", "object", timeout=timeout)

    def settings(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /settings: The settings this node was started with, and where each value is from; secrets are hidden."""
        return self._client._call("GET", "/settings", "object", timeout=timeout)

    def change_settings(
        self,
        *,
        settings: Dict[str, Any],
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """PATCH /settings: Changes settings that do not decide identity, data, money, trust or doors; the data folder keeps them,
        and the answer says which wait for a restart.

        settings: New values by the names that `GET /settings` gives; null takes a change back. All are taken or none.
        """
        return self._client._call("PATCH", "/settings", "object", body={"settings": settings}, timeout=timeout)


class _NodeLaunchpad(_Group):
    def check_listing(
        self,
        token_mint: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /launchpad/chart-listing/check/{token_mint}: Whether a token can be listed at the chart site, and for how much."""
        return self._client._call("GET", "/launchpad/chart-listing/check/%s" % (_part("token_mint", token_mint),), "object", timeout=timeout)

    def list(
        self,
        *,
        token_mint: str,
        image_url: str,
        description: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /launchpad/chart-listing/list: Orders and pays the listing of a token at the chart site, once.

        token_mint: The address of a token, base58.
        image_url: Icon and header, https.
        description: That of its launch from here unless given.
        """
        return self._client._call("POST", "/launchpad/chart-listing/list", "object", body={"token_mint": token_mint, "image_url": image_url, "description": description}, once=True, key=key, timeout=timeout)

    def claim(
        self,
        *,
        token_mint: str,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /launchpad/claim: Claims the fees of a token.

        token_mint: The address of a token, base58.
        """
        return self._client._call("POST", "/launchpad/claim", "object", body={"token_mint": token_mint}, once=True, key=key, timeout=timeout)

    def claimable(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /launchpad/claimable: Fees that the creator of tokens can claim."""
        return self._client._call("GET", "/launchpad/claimable", "list", timeout=timeout)

    def config(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /launchpad/config: Which launchpad this node uses, and how; never the key."""
        return self._client._call("GET", "/launchpad/config", "object", timeout=timeout)

    def launch(
        self,
        *,
        name: str,
        symbol: str,
        description: str,
        image_url: Optional[Any] = None,
        initial_buy_lamports: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /launchpad/launch: Launches a token whose fees go to this agent: metadata, fee share, transaction.

        name: The full name of the token: 1 to 32 characters.
        symbol: 2 to 8 characters in upper case.
        description: One to three sentences.
        image_url: An image, https; none unless given.
        initial_buy_lamports: Lamports that buy the token at its launch; none unless given.
        """
        return self._client._call("POST", "/launchpad/launch", "object", body={"name": name, "symbol": symbol, "description": description, "image_url": image_url, "initial_buy_lamports": initial_buy_lamports}, once=True, key=key, timeout=timeout)

    def pool(
        self,
        token_mint: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /launchpad/pool/{token_mint}: The pool of a token: reserves by the ledger, price and trade in US dollars."""
        return self._client._call("GET", "/launchpad/pool/%s" % (_part("token_mint", token_mint),), "object", timeout=timeout)

    def positions(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /launchpad/positions: The tokens of the launchpad that the wallet holds."""
        return self._client._call("GET", "/launchpad/positions", "list", timeout=timeout)

    def set_api_key(
        self,
        *,
        api_key: str,
        timeout: Optional[float] = None,
    ) -> None:
        """POST /launchpad/set-api-key: Sets the key of the launchpad, or replaces it; it holds at once and over restarts.

        api_key: The key of the launchpad from now on: ASCII without spaces.
        """
        return self._client._call("POST", "/launchpad/set-api-key", "nothing", body={"api_key": api_key}, timeout=timeout)

    def execute(
        self,
        *,
        token_mint: Optional[str] = None,
        amount: Optional[Any] = None,
        action: Optional[Any] = None,
        slippage_bps: Optional[int] = None,
        quote: Optional[Dict[str, Any]] = None,
        quote_response: Optional[Dict[str, Any]] = None,
        requestId: Optional[Any] = None,
        contextSlot: Optional[Any] = None,
        inputMint: Optional[Any] = None,
        outputMint: Optional[Any] = None,
        inAmount: Optional[Any] = None,
        outAmount: Optional[Any] = None,
        minOutAmount: Optional[Any] = None,
        otherAmountThreshold: Optional[Any] = None,
        slippageBps: Optional[Any] = None,
        priceImpactPct: Optional[Any] = None,
        routePlan: Optional[Any] = None,
        platformFee: Optional[Any] = None,
        outTransferFee: Optional[Any] = None,
        simulatedComputeUnits: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /launchpad/swap/execute: Swaps, by a quote that was asked for or by a new one.

        token_mint: The address of a token, base58.
        amount: Lamports to buy with, or base units of the token to sell.
        slippage_bps: How much worse than its quote it may end, in hundredths of a percent; by the launchpad unless given.
        quote: The answer of POST /launchpad/swap/quote.
        quote_response: The same.
        requestId: Of a quote that is the body itself.
        contextSlot: Of a quote that is the body itself.
        inputMint: Of a quote that is the body itself.
        outputMint: Of a quote that is the body itself.
        inAmount: Of a quote that is the body itself.
        outAmount: Of a quote that is the body itself.
        minOutAmount: Of a quote that is the body itself.
        otherAmountThreshold: Of a quote that is the body itself.
        slippageBps: Of a quote that is the body itself.
        priceImpactPct: Of a quote that is the body itself.
        routePlan: Of a quote that is the body itself.
        platformFee: Of a quote that is the body itself.
        outTransferFee: Of a quote that is the body itself.
        simulatedComputeUnits: Of a quote that is the body itself.
        """
        return self._client._call("POST", "/launchpad/swap/execute", "object", body={"token_mint": token_mint, "amount": amount, "action": action, "slippage_bps": slippage_bps, "quote": quote, "quote_response": quote_response, "requestId": requestId, "contextSlot": contextSlot, "inputMint": inputMint, "outputMint": outputMint, "inAmount": inAmount, "outAmount": outAmount, "minOutAmount": minOutAmount, "otherAmountThreshold": otherAmountThreshold, "slippageBps": slippageBps, "priceImpactPct": priceImpactPct, "routePlan": routePlan, "platformFee": platformFee, "outTransferFee": outTransferFee, "simulatedComputeUnits": simulatedComputeUnits}, once=True, key=key, timeout=timeout)

    def quote(
        self,
        *,
        token_mint: str,
        amount: Any,
        action: Any,
        slippage_bps: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /launchpad/swap/quote: A quote as the launchpad gives it; nothing is done.

        token_mint: The address of a token, base58.
        amount: Lamports to buy with, or base units of the token to sell.
        slippage_bps: How much worse than its quote it may end, in hundredths of a percent; by the launchpad unless given.
        """
        return self._client._call("POST", "/launchpad/swap/quote", "object", body={"token_mint": token_mint, "amount": amount, "action": action, "slippage_bps": slippage_bps}, timeout=timeout)


class _NodeLease(_Group):
    def lease(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /lease: How far the lease is paid, and what the node does about it."""
        return self._client._call("GET", "/lease", "object", timeout=timeout)

    def pay(
        self,
        *,
        ahead: Optional[int] = None,
        max_usdc: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /lease/pay: Pays what is due for the present epoch and some ahead; when nothing is due, nothing is paid.

        max_usdc: A USDC amount as a decimal string with at most six decimals.
        """
        return self._client._call("POST", "/lease/pay", "object", body={"ahead": ahead, "max_usdc": max_usdc}, once=True, key=key, timeout=timeout)


class _NodeMarket(_Group):
    def advertisement(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /advertise: What this agent says of itself."""
        return self._client._call("GET", "/advertise", "object", timeout=timeout)

    def advertise(
        self,
        *,
        capabilities: Optional[List[Any]] = None,
        description: Optional[str] = None,
        agent_type: Optional[str] = None,
        geo: Optional[Dict[str, Any]] = None,
        token_address: Optional[str] = None,
        min_token_hold: Optional[int] = None,
        downpayment_bps: Optional[int] = None,
        price_range_usd: Optional[List[Any]] = None,
        capability_proofs: Optional[List[Any]] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /advertise: Says to everybody what this agent can do, where and for how much; the node repeats it daily.

        capabilities: Words such as translate: the network folds them to small letters and keeps letters, digits, - and _.
        token_address: A ledger address: 32 bytes in base58.
        price_range_usd: Lowest and highest price, in USD.
        """
        return self._client._call("POST", "/advertise", "object", body={"capabilities": capabilities, "description": description, "agent_type": agent_type, "geo": geo, "token_address": token_address, "min_token_hold": min_token_hold, "downpayment_bps": downpayment_bps, "price_range_usd": price_range_usd, "capability_proofs": capability_proofs}, once=True, key=key, timeout=timeout)

    def introduction(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agent: Who this agent is, what it says it can do, and the network that it is of."""
        return self._client._call("GET", "/agent", "object", timeout=timeout)

    def bounty(
        self,
        *,
        required_capability: str,
        max_budget_usd: float,
        deadline_secs: Optional[int] = None,
        task_summary: Optional[str] = None,
        conversation_id: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /bounty: Offers work to whoever can do it; who wants it writes a MESSAGE in this conversation.

        conversation_id: A fresh one is made when absent.
        """
        return self._client._call("POST", "/bounty", "object", body={"required_capability": required_capability, "max_budget_usd": max_budget_usd, "deadline_secs": deadline_secs, "task_summary": task_summary, "conversation_id": conversation_id}, once=True, key=key, timeout=timeout)


class _NodeMcp(_Group):
    def call(
        self,
        data: bytes,
        *,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        mcp_protocol_version: Optional[str] = None,
        mcp_method: Optional[str] = None,
        mcp_name: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """POST /mcp: One message of the Model Context Protocol (Streamable HTTP); the answer is JSON or an event stream"""
        return self._client._call("POST", "/mcp", "value", headers={"accept": accept, "content-type": content_type, "mcp-protocol-version": mcp_protocol_version, "mcp-method": mcp_method, "mcp-name": mcp_name}, body=data, timeout=timeout)


class _NodeMoney(_Group):
    def caps(
        self,
        *,
        partner: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /portfolio/caps: What may leave the wallet, and what of that is used.

        partner: Shows what is used of the cap for this partner.
        """
        return self._client._call("GET", "/portfolio/caps", "object", query={"partner": partner}, timeout=timeout)


class _NodeNegotiation(_Group):
    def deliver(
        self,
        *,
        conversation_id: str,
        content_type: Optional[str] = None,
        content: Optional[str] = None,
        content_b64: Optional[str] = None,
        payload_uri: Optional[str] = None,
        text: Optional[str] = None,
        payload: Optional[Any] = None,
        payload_b64: Optional[str] = None,
        inline_b64: Optional[str] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /deliver: Hands over the work.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        text: The same as `content`.
        payload: The same as `content`: a string. JSON goes into `content`, as text.
        payload_b64: The same as `content_b64`.
        inline_b64: The same as `content_b64`.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/deliver", "object", body={"conversation_id": conversation_id, "content_type": content_type, "content": content, "content_b64": content_b64, "payload_uri": payload_uri, "text": text, "payload": payload, "payload_b64": payload_b64, "inline_b64": inline_b64, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def dispute(
        self,
        *,
        conversation_id: str,
        reason: Optional[str] = None,
        offer_bps: Optional[int] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /dispute: Objects to a delivery, as the requester; the node takes it to the ledger where the amount is locked.
        Everybody may read it.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        offer_bps: The share of the locked amount that the provider may keep, in basis points; the least that the terms allow
            unless given.
        """
        return self._client._call("POST", "/dispute", "object", body={"conversation_id": conversation_id, "reason": reason, "offer_bps": offer_bps}, once=True, key=key, timeout=timeout)

    def accept(
        self,
        *,
        conversation_id: str,
        recipient: Optional[str] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        offer_id: Optional[str] = None,
        message: Optional[Any] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /negotiate/accept: Accepts the last offer.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        offer_id: The envelope id of the offer that is meant: a newer one is not accepted in its place.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/negotiate/accept", "object", body={"conversation_id": conversation_id, "recipient": recipient, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "offer_id": offer_id, "message": message, "sealed": sealed}, once=True, key=key, timeout=timeout)

    def counter(
        self,
        *,
        conversation_id: str,
        recipient: Optional[str] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        message: Optional[str] = None,
        expires_at: Optional[str] = None,
        round: Optional[int] = None,
        max_rounds: Optional[Any] = None,
        sealed: Optional[bool] = None,
        deadline_secs: Optional[int] = None,
        review_secs: Optional[int] = None,
        notary: Optional[str] = None,
        bond_usdc: Optional[str] = None,
        bond_usdc_micro: Optional[Any] = None,
        dispute_bps: Optional[int] = None,
        acceptance: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /negotiate/counter: Answers an offer with another.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        expires_at: A moment in UTC, ISO 8601.
        round: Checked against the deal when given.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        notary: Another notary than that of the offer before.
        bond_usdc: A USDC amount as a decimal string with at most six decimals.
        bond_usdc_micro: The bond that the requester locks besides the amount, at most twice the amount. When neither is
            given: that of the offer before, and half of the new amount where that was half of its own.
        dispute_bps: The lowest share of the amount, in basis points, that a dispute may offer the provider; that of the offer
            before unless told otherwise.
        acceptance: SHA-256, in hex, of the schema or test program by which both agree to judge the delivery; a plugin of a
            node may run it.
        """
        return self._client._call("POST", "/negotiate/counter", "object", body={"conversation_id": conversation_id, "recipient": recipient, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "message": message, "expires_at": expires_at, "round": round, "max_rounds": max_rounds, "sealed": sealed, "deadline_secs": deadline_secs, "review_secs": review_secs, "notary": notary, "bond_usdc": bond_usdc, "bond_usdc_micro": bond_usdc_micro, "dispute_bps": dispute_bps, "acceptance": acceptance}, once=True, key=key, timeout=timeout)

    def propose(
        self,
        *,
        recipient: str,
        message: str,
        conversation_id: Optional[Any] = None,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        max_rounds: Optional[int] = None,
        deadline_secs: Optional[int] = None,
        review_secs: Optional[int] = None,
        expires_at: Optional[str] = None,
        sealed: Optional[bool] = None,
        escrow: Optional[bool] = None,
        notary: Optional[str] = None,
        bond_usdc: Optional[str] = None,
        bond_usdc_micro: Optional[Any] = None,
        dispute_bps: Optional[int] = None,
        acceptance: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /negotiate/propose: Offers a deal to an agent.

        recipient: An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        message: The work that is asked for.
        expires_at: A moment in UTC, ISO 8601.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        escrow: Whether the amount must be locked on the ledger within an hour of ACCEPT; where the mesh has the settlement
            program and the terms allow it, true unless told otherwise.
        notary: A third party who gives a verdict on the delivery, and decides when a dispute is contested; its silence then
            burns what is in dispute.
        bond_usdc: A USDC amount as a decimal string with at most six decimals.
        bond_usdc_micro: The bond that the requester locks besides the amount, at most twice the amount; half of the amount
            when neither is given and escrow is agreed.
        dispute_bps: The lowest share of the amount, in basis points, that a dispute may offer the provider; 0 unless told
            otherwise.
        acceptance: SHA-256, in hex, of the schema or test program by which both agree to judge the delivery; a plugin of a
            node may run it.
        """
        return self._client._call("POST", "/negotiate/propose", "object", body={"recipient": recipient, "conversation_id": conversation_id, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "message": message, "max_rounds": max_rounds, "deadline_secs": deadline_secs, "review_secs": review_secs, "expires_at": expires_at, "sealed": sealed, "escrow": escrow, "notary": notary, "bond_usdc": bond_usdc, "bond_usdc_micro": bond_usdc_micro, "dispute_bps": dispute_bps, "acceptance": acceptance}, once=True, key=key, timeout=timeout)

    def reject(
        self,
        *,
        conversation_id: str,
        reason: Optional[str] = None,
        sealed: Optional[bool] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /negotiate/reject: Refuses an offer, or withdraws one.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        sealed: Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types
            only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
        """
        return self._client._call("POST", "/negotiate/reject", "object", body={"conversation_id": conversation_id, "reason": reason, "sealed": sealed}, once=True, key=key, timeout=timeout)


class _NodeNotary(_Group):
    def assign(
        self,
        *,
        conversation_id: str,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /notarize/assign: Assigns the notary that a deal names.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        """
        return self._client._call("POST", "/notarize/assign", "object", body={"conversation_id": conversation_id}, once=True, key=key, timeout=timeout)

    def bid(
        self,
        *,
        conversation_id: str,
        kind: str,
        note: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /notarize/bid: Tells everybody that a deal looks for a notary, or that this agent offers to be it.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        note: For whoever reads it, such as a fee.
        """
        return self._client._call("POST", "/notarize/bid", "object", body={"conversation_id": conversation_id, "kind": kind, "note": note}, once=True, key=key, timeout=timeout)

    def cases(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /notarize/cases: The deals this node is the notary of: first those that it has to do with, then those of strangers.

        limit: The most cases of a page.
        after: The `case_id` of the last case of the page before; the list goes on behind it.
        """
        return self._client._call("GET", "/notarize/cases", "list", query={"limit": limit, "after": after}, timeout=timeout)

    def decide(
        self,
        *,
        conversation_id: str,
        for_provider: Optional[bool] = None,
        outcome: Optional[Any] = None,
        case_id: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /notarize/decide: Decides a contested escrow on the ledger, as its notary.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        for_provider: true: the provider gets the amount, and the bond but for the share that the dispute offered. false: the
            offer of the dispute stands.
        outcome: The same in the words of a verdict.
        case_id: Which of several cases of the conversation; needed where nothing tells them apart.
        """
        return self._client._call("POST", "/notarize/decide", "object", body={"conversation_id": conversation_id, "for_provider": for_provider, "outcome": outcome, "case_id": case_id}, once=True, key=key, timeout=timeout)

    def verdict(
        self,
        *,
        conversation_id: str,
        outcome: Any,
        reason: Optional[str] = None,
        reasoning: Optional[str] = None,
        case_id: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /verdict: Gives the notary's word on a delivery to both parties; the requester's node follows it.

        conversation_id: A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one
            too.
        outcome: Whether the provider has delivered. The requester's node follows it unless its owner says otherwise; after a
            contest the notary decides by it on the ledger.
        reason: Only its keccak-256 goes into the VERDICT.
        reasoning: The same as `reason`.
        case_id: Which of several cases of the conversation; needed where nothing tells them apart.
        """
        return self._client._call("POST", "/verdict", "object", body={"conversation_id": conversation_id, "outcome": outcome, "reason": reason, "reasoning": reasoning, "case_id": case_id}, once=True, key=key, timeout=timeout)


class _NodeOperations(_Group):
    def asyncapi(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /asyncapi.json: The AsyncAPI document of the WebSockets served here."""
        return self._client._call("GET", "/asyncapi.json", "object", timeout=timeout)

    def docs(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """GET /docs: The API of this process as a page for people."""
        return self._client._call("GET", "/docs", "text", timeout=timeout)

    def health(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /health: Whether the process is alive, and what it knows of its plugins and services."""
        return self._client._call("GET", "/health", "object", timeout=timeout)

    def metrics(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """GET /metrics: Counters for Prometheus."""
        return self._client._call("GET", "/metrics", "text", timeout=timeout)

    def openapi(
        self,
        *,
        tag: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /openapi.json: The OpenAPI document of what is served here, or the part of one plugin.

        tag: The operations of this plugin alone, with the schemas that they refer to; `tags` names all.
        """
        return self._client._call("GET", "/openapi.json", "object", query={"tag": tag}, timeout=timeout)

    def ready(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /ready: Answers 200 while the node can serve, after a look at what it stands on; 503 before, while it stops and while
        its store takes no writes."""
        return self._client._call("GET", "/ready", "object", also=503, timeout=timeout)

    def schema(
        self,
        file: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /schemas/{file}: A JSON Schema file, such as common.json."""
        return self._client._call("GET", "/schemas/%s" % (_part("file", file),), "object", timeout=timeout)


class _NodeOwnership(_Group):
    def owner(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /owner: Who owns this agent, by the ledger; or whom it has proposed, and what that wallet must sign."""
        return self._client._call("GET", "/owner", "object", timeout=timeout)

    def propose(
        self,
        *,
        owner_wallet: str,
        valid_secs: Optional[int] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /owner/propose: Proposes the wallet that owns this agent; the answer has the text it must sign, and where to claim.

        owner_wallet: A ledger address: 32 bytes in base58.
        """
        return self._client._call("POST", "/owner/propose", "object", body={"owner_wallet": owner_wallet, "valid_secs": valid_secs}, once=True, key=key, timeout=timeout)


class _NodePeers(_Group):
    def peers(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /peers: The peers heard of most recently, those with a session first, with their lease status.

        limit: How many peers to return; 200 at most, and more is read as 200.
        offset: How many to pass over.
        """
        return self._client._call("GET", "/peers", "list", query={"limit": limit, "offset": offset}, timeout=timeout)


class _NodePortfolio(_Group):
    def balances(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /portfolio/balances: SOL and tokens in the hot wallet."""
        return self._client._call("GET", "/portfolio/balances", "object", timeout=timeout)

    def history(
        self,
        *,
        type: Optional[Any] = None,
        limit: Optional[int] = None,
        before: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /portfolio/history: What happened to the money of this agent, newest first.

        type: Only entries of this type.
        before: The `next` of the page before.
        """
        return self._client._call("GET", "/portfolio/history", "object", query={"type": type, "limit": limit, "before": before}, timeout=timeout)


class _NodeProbe(_Group):
    def probe_status(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /probe: The budget of the probe buyer, and how much of it is left."""
        return self._client._call("GET", "/probe", "object", timeout=timeout)

    def list_probes(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /probe/deals: The agents that the probe buyer hired, the last one first; their deals are marked as probes here.

        after: The `next` of the page before, milliseconds and hex digits.
        """
        return self._client._call("GET", "/probe/deals", "object", query={"limit": limit, "after": after}, timeout=timeout)

    def buy_probe(
        self,
        *,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /probe/hire: Hires one agent for a small job now, within the budgets."""
        return self._client._call("POST", "/probe/hire", "object", once=True, key=key, timeout=timeout)


class _NodePush(_Group):
    def sleep_state(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /push: Whether this agent sleeps, and which aggregators know."""
        return self._client._call("GET", "/push", "object", timeout=timeout)

    def sleep(
        self,
        *,
        sleeping: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /push/sleep: Tells the aggregators that this agent sleeps: they hold messages for it, and wake its device.

        sleeping: true unless given; false is POST /push/wake.
        """
        return self._client._call("POST", "/push/sleep", "object", body={"sleeping": sleeping}, timeout=timeout)

    def wake(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /push/wake: Asks the nearest hub for a relay slot, takes what waited for this agent into its inbox, and tells the
        aggregators that it is awake."""
        return self._client._call("POST", "/push/wake", "object", timeout=timeout)


class _NodeRegistry8004(_Group):
    def registry_8004_info(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /registry/8004/info: The registry of agents, and how to register there"""
        return self._client._call("GET", "/registry/8004/info", "object", timeout=timeout)

    def registry_8004_local(
        self,
        *,
        agent_uri: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /registry/8004/register-local: Registers the key of this process, which pays for it

        agent_uri: Where the registration file of the agent is; at most 250 bytes of UTF-8.
        """
        return self._client._call("POST", "/registry/8004/register-local", "object", body={"agent_uri": agent_uri}, once=True, key=key, timeout=timeout)


class _NodeReputation(_Group):
    def reputation(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /reputation/{agent_id}: An agent’s reputation vector: score, components, confidence and decay by an aggregator, and
        this node’s own deals and ratings with it."""
        return self._client._call("GET", "/reputation/%s" % (_part("agent_id", agent_id),), "object", timeout=timeout)


class _NodeSkills(_Group):
    def install_skill(
        self,
        *,
        url: str,
        name: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /skill/install-url: Installs a skill from an https URL; private hosts are refused.

        url: https, of a SKILL.toml of at most 128 KiB; private hosts are refused.
        name: Lower-case letters, digits, - and _, at most 64; it is the folder of the skill. Without it, the name in the
            file.
        """
        return self._client._call("POST", "/skill/install-url", "object", body={"url": url, "name": name}, timeout=timeout)

    def list_skills(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /skill/list: The skills in the workspace, by name."""
        return self._client._call("GET", "/skill/list", "object", timeout=timeout)

    def remove_skill(
        self,
        *,
        name: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /skill/remove: Removes a skill with all in its folder.

        name: Lower-case letters, digits, - and _, at most 64; it is the folder of the skill.
        """
        return self._client._call("POST", "/skill/remove", "object", body={"name": name}, timeout=timeout)

    def write_skill(
        self,
        *,
        name: Optional[str] = None,
        content_b64: Optional[str] = None,
        content: Optional[str] = None,
        body_b64: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /skill/write: Writes the SKILL.toml of a skill, or puts it in the place of the one that is there.

        name: Lower-case letters, digits, - and _, at most 64; it is the folder of the skill. Without it, the name in the
            file.
        content_b64: The SKILL.toml, UTF-8, in base64; at most 128 KiB.
        content: Another name of content_b64.
        body_b64: Another name of content_b64.
        """
        return self._client._call("POST", "/skill/write", "object", body={"name": name, "content_b64": content_b64, "content": content, "body_b64": body_b64}, timeout=timeout)


class _NodeStake(_Group):
    def stake(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /stake: What this agent has at stake, what it owes for it, and when it can take it back."""
        return self._client._call("GET", "/stake", "object", timeout=timeout)

    def add(
        self,
        *,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /stake/add: Puts USDC at stake. With the first stake the duty begins to submit a batch each epoch. Repeated with the
        same Idempotency-Key it pays once; repeated without one after an uncertain answer, it finishes what was begun or says what
        the account shows.

        amount_usdc: A USDC amount as a decimal string with at most six decimals.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        """
        return self._client._call("POST", "/stake/add", "object", body={"amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro}, once=True, key=key, timeout=timeout)

    def resume(
        self,
        *,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /stake/resume: Takes the duties on again, while leaving or after a slash."""
        return self._client._call("POST", "/stake/resume", "object", once=True, key=key, timeout=timeout)

    def unlock(
        self,
        *,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /stake/unlock: Asks to leave: duties end with the batch of the present epoch, which only this key can submit."""
        return self._client._call("POST", "/stake/unlock", "object", once=True, key=key, timeout=timeout)

    def withdraw(
        self,
        *,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /stake/withdraw: Takes the stake back, once it can be."""
        return self._client._call("POST", "/stake/withdraw", "object", once=True, key=key, timeout=timeout)


class _NodeTopics(_Group):
    def list(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /topics: The topics whose broadcasts this node hears."""
        return self._client._call("GET", "/topics", "object", timeout=timeout)

    def unsubscribe(
        self,
        topic: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """DELETE /topics/{topic}: Hears no more of a topic."""
        return self._client._call("DELETE", "/topics/%s" % (_part("topic", topic),), "object", timeout=timeout)

    def subscribe(
        self,
        topic: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """PUT /topics/{topic}: Hears the BROADCASTs of a topic from now on, over restarts too."""
        return self._client._call("PUT", "/topics/%s" % (_part("topic", topic),), "object", timeout=timeout)

    def frames(
        self,
        *,
        topic: Optional[str] = None,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/topics: BROADCASTs as they come, of one topic where it is named, which the node hears as long as the stream is
        open; otherwise of all that it hears."""
        return self._client._frames("/ws/topics", {"topic": topic}, None, stop, _WebSocket)


class _NodeTrade(_Group):
    def dca_create(
        self,
        *,
        input_mint: str,
        output_mint: str,
        in_amount: Any,
        in_amount_per_cycle: Any,
        cycle_seconds: int,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /trade/dca/create: Sets tokens aside and swaps a part of them again and again.

        input_mint: The address of a token, base58.
        output_mint: The address of a token, base58.
        in_amount: Units of the input token that are set aside for all cycles.
        in_amount_per_cycle: Units of the input token of one cycle.
        cycle_seconds: Seconds between two cycles.
        """
        return self._client._call("POST", "/trade/dca/create", "object", body={"input_mint": input_mint, "output_mint": output_mint, "in_amount": in_amount, "in_amount_per_cycle": in_amount_per_cycle, "cycle_seconds": cycle_seconds}, once=True, key=key, timeout=timeout)

    def limit_cancel(
        self,
        *,
        orders: List[Any],
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /trade/limit/cancel: Takes limit orders back.

        orders: Addresses of orders.
        """
        return self._client._call("POST", "/trade/limit/cancel", "object", body={"orders": orders}, timeout=timeout)

    def limit_create(
        self,
        *,
        input_mint: str,
        output_mint: str,
        making_amount: Any,
        taking_amount: Any,
        expired_at: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /trade/limit/create: Sets tokens aside until they can be swapped at a price.

        input_mint: The address of a token, base58.
        output_mint: The address of a token, base58.
        making_amount: Units of the input token that the order gives.
        taking_amount: Units of the output token that it asks for.
        expired_at: When the order ends, Unix seconds; it does not end by itself without it.
        """
        return self._client._call("POST", "/trade/limit/create", "object", body={"input_mint": input_mint, "output_mint": output_mint, "making_amount": making_amount, "taking_amount": taking_amount, "expired_at": expired_at}, once=True, key=key, timeout=timeout)

    def limit_orders(
        self,
        *,
        wallet: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /trade/limit/orders: Limit orders that wait for their price.

        wallet: Whose orders, base58; those of this wallet unless given.
        """
        return self._client._call("GET", "/trade/limit/orders", "object", query={"wallet": wallet}, timeout=timeout)

    def price(
        self,
        *,
        ids: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /trade/price: Prices of tokens in US dollars.

        ids: Mints, separated by commas; at most 50.
        """
        return self._client._call("GET", "/trade/price", "object", query={"ids": ids}, timeout=timeout)

    def quote(
        self,
        *,
        input_mint: str,
        output_mint: str,
        amount: Any,
        slippage_bps: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /trade/quote: A quote for a swap; nothing is done.

        input_mint: The address of a token, base58.
        output_mint: The address of a token, base58.
        amount: Units of the input token.
        slippage_bps: How much worse than the quote the result may be, in hundredths of a percent; 50 unless given.
        """
        return self._client._call("GET", "/trade/quote", "object", query={"input_mint": input_mint, "output_mint": output_mint, "amount": amount, "slippage_bps": slippage_bps}, timeout=timeout)

    def swap(
        self,
        *,
        input_mint: str,
        output_mint: str,
        amount: Any,
        slippage_bps: Optional[int] = None,
        force: Optional[bool] = None,
        quote: Optional[Dict[str, Any]] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /trade/swap: Swaps tokens of the wallet, or asks for a confirmation (202).

        input_mint: The address of a token, base58.
        output_mint: The address of a token, base58.
        amount: Units of the input token.
        slippage_bps: How much worse than the quote the result may be, in hundredths of a percent; 50 unless given.
        force: Trade without asking, although the output token is not a known or verified one.
        quote: What GET /trade/quote answered. The swap is refused with quote_changed when it would now give less than
            otherAmountThreshold of it.
        """
        return self._client._call("POST", "/trade/swap", "object", body={"input_mint": input_mint, "output_mint": output_mint, "amount": amount, "slippage_bps": slippage_bps, "force": force, "quote": quote}, once=True, key=key, timeout=timeout)

    def confirm(
        self,
        swap_id: str,
        *,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /trade/swap/confirm/{swap_id}: Does a swap that waits for a confirmation."""
        return self._client._call("POST", "/trade/swap/confirm/%s" % (_part("swap_id", swap_id),), "object", once=True, key=key, timeout=timeout)

    def pending(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /trade/swap/pending: Swaps that wait for a confirmation, at most five minutes."""
        return self._client._call("GET", "/trade/swap/pending", "object", timeout=timeout)

    def reject(
        self,
        swap_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /trade/swap/reject/{swap_id}: Forgets a swap that waits for a confirmation."""
        return self._client._call("POST", "/trade/swap/reject/%s" % (_part("swap_id", swap_id),), "object", timeout=timeout)

    def tokens(
        self,
        *,
        q: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /trade/tokens: Tokens that can be traded, by symbol, name or mint.

        q: A symbol, a name or mints; the verified tokens without it.
        """
        return self._client._call("GET", "/trade/tokens", "list", query={"q": q}, timeout=timeout)


class _NodeWallet(_Group):
    def sales(
        self,
        *,
        unserved: Optional[bool] = None,
        limit: Optional[int] = None,
        before: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /wallet/sales: The calls that this node sold by x402, and which of them are paid for and not answered.

        unserved: Only payments whose answer has not left whole.
        before: The `next` of the page before.
        """
        return self._client._call("GET", "/wallet/sales", "object", query={"unserved": unserved, "limit": limit, "before": before}, timeout=timeout)

    def sweep(
        self,
        *,
        destination: str,
        amount_usdc: Optional[str] = None,
        amount_usdc_micro: Optional[Any] = None,
        amount: Optional[Any] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /wallet/sweep: Sends the USDC of the hot wallet to a wallet of its owner.

        destination: The wallet that gets the USDC: 32 bytes in base58, or 64 hex digits. Its token account is made when it is
            missing.
        amount_usdc: So much and no more.
        amount_usdc_micro: A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
        amount: The same as `amount_usdc_micro`, under the name that earlier clients use.
        """
        return self._client._call("POST", "/wallet/sweep", "object", body={"destination": destination, "amount_usdc": amount_usdc, "amount_usdc_micro": amount_usdc_micro, "amount": amount}, once=True, key=key, timeout=timeout)

    def pay(
        self,
        *,
        payment_required_b64: Optional[str] = None,
        payment_required: Optional[Dict[str, Any]] = None,
        url: Optional[str] = None,
        method: Optional[Any] = None,
        body: Optional[Any] = None,
        max_usdc: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /wallet/x402/pay: Signs a payment that an offer of x402 asks for, at most 10 USDC; calls the seller, too, when a URL
        is given.

        payment_required_b64: The offer as base64 of its JSON: the header PAYMENT-REQUIRED (version 2), or the body of a 402
            (version 1).
        payment_required: The offer as JSON, of version 1 or 2.
        url: A resource that the node calls; when it answers 402, the node pays and calls it again.
        method: Of the call; POST when `body` is given.
        body: Sent with the call, as JSON.
        max_usdc: The most that may be paid; 10 at most, which is the cap anyway.
        """
        return self._client._call("POST", "/wallet/x402/pay", "object", body={"payment_required_b64": payment_required_b64, "payment_required": payment_required, "url": url, "method": method, "body": body, "max_usdc": max_usdc}, once=True, key=key, timeout=timeout)

    def payment(
        self,
        payment_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /wallet/x402/{payment_id}: A payment by x402, with what the ledger says of it now."""
        return self._client._call("GET", "/wallet/x402/%s" % (_part("payment_id", payment_id),), "object", timeout=timeout)


class _NodeWatch(_Group):
    def accusations(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /accusations: Accusations of this agent, and those its wallet has made; newest first."""
        return self._client._call("GET", "/accusations", "list", timeout=timeout)


class _NodeWebhooks(_Group):
    def list(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /webhooks: The receivers, and how their deliveries stand."""
        return self._client._call("GET", "/webhooks", "object", timeout=timeout)

    def add(
        self,
        *,
        url: str,
        events: Optional[List[Any]] = None,
        messages: Optional[List[Any]] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /webhooks: Adds a receiver for kinds of events and types of messages, from now on; at most eight.

        url: http: or https:, without a user or password.
        events: Kinds of /ws/events; * is all of them.
        messages: Message types as in the inbox, such as PROPOSE; * is all of them.
        """
        return self._client._call("POST", "/webhooks", "object", body={"url": url, "events": events, "messages": messages}, timeout=timeout)

    def remove(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """DELETE /webhooks/{id}: Removes a receiver with all that waits for it."""
        return self._client._call("DELETE", "/webhooks/%s" % (_part("id", id),), "object", timeout=timeout)

    def dead(
        self,
        id: str,
        *,
        limit: Optional[int] = None,
        after: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /webhooks/{id}/dead: The deliveries to a receiver that were given up, the oldest first.

        limit: How many to return; 200 at most, and more is read as 200.
        after: The number of the last one of the page before.
        """
        return self._client._call("GET", "/webhooks/%s/dead" % (_part("id", id),), "object", query={"limit": limit, "after": after}, timeout=timeout)

    def redeliver(
        self,
        id: str,
        *,
        delivery: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /webhooks/{id}/redeliver: Has one delivery that was given up wait again, or without a name the hundred oldest.

        delivery: Its id.
        """
        return self._client._call("POST", "/webhooks/%s/redeliver" % (_part("id", id),), "object", body={"delivery": delivery}, timeout=timeout)


class Node(_Client):
    """A node’s local API: every operation, in the group of the plugin that declares it."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self.a2a = _NodeA2A(self)
        self.agent_process = _NodeAgentProcess(self)
        self.aggregators = _NodeAggregators(self)
        self.batches = _NodeBatches(self)
        self.deals = _NodeDeals(self)
        self.deliveries = _NodeDeliveries(self)
        self.envelopes = _NodeEnvelopes(self)
        self.escrow = _NodeEscrow(self)
        self.events = _NodeEvents(self)
        self.exempt = _NodeExempt(self)
        self.explorer = _NodeExplorer(self)
        self.feedback = _NodeFeedback(self)
        self.hosting = _NodeHosting(self)
        self.identity = _NodeIdentity(self)
        self.inbox = _NodeInbox(self)
        self.inspection = _NodeInspection(self)
        self.launchpad = _NodeLaunchpad(self)
        self.lease = _NodeLease(self)
        self.market = _NodeMarket(self)
        self.mcp = _NodeMcp(self)
        self.money = _NodeMoney(self)
        self.negotiation = _NodeNegotiation(self)
        self.notary = _NodeNotary(self)
        self.operations = _NodeOperations(self)
        self.ownership = _NodeOwnership(self)
        self.peers = _NodePeers(self)
        self.portfolio = _NodePortfolio(self)
        self.probe = _NodeProbe(self)
        self.push = _NodePush(self)
        self.registry8004 = _NodeRegistry8004(self)
        self.reputation = _NodeReputation(self)
        self.skills = _NodeSkills(self)
        self.stake = _NodeStake(self)
        self.topics = _NodeTopics(self)
        self.trade = _NodeTrade(self)
        self.wallet = _NodeWallet(self)
        self.watch = _NodeWatch(self)
        self.webhooks = _NodeWebhooks(self)


class _AggregatorA2A(_Group):
    def catalogue(
        self,
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /.well-known/ai-catalog.json: The catalogue of this aggregator: its registry and its best agents, under its earlier
        name"""
        return self._client._call("GET", "/.well-known/ai-catalog.json", "object", headers={"if-none-match": if_none_match}, timeout=timeout)

    def ard(
        self,
        *,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /.well-known/ard.json: The catalogue of this aggregator: its registry and its best agents"""
        return self._client._call("GET", "/.well-known/ard.json", "object", headers={"if-none-match": if_none_match}, timeout=timeout)

    def list(
        self,
        *,
        pageSize: Optional[int] = None,
        pageToken: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /ard/v1/agents: Agents as catalogue entries, best first"""
        return self._client._call("GET", "/ard/v1/agents", "object", query={"pageSize": pageSize, "pageToken": pageToken}, timeout=timeout)

    def entry(
        self,
        identifier: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /ard/v1/agents/{identifier}: One catalogue entry by its identifier"""
        return self._client._call("GET", "/ard/v1/agents/%s" % (_part("identifier", identifier),), "object", timeout=timeout)

    def search(
        self,
        data: bytes,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /ard/v1/search: Agents that a text is about"""
        return self._client._call("POST", "/ard/v1/search", "object", body=data, timeout=timeout)


class _AggregatorActivity(_Group):
    def list_activity(
        self,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        agent_id: Optional[str] = None,
        conversation_id: Optional[str] = None,
        type: Optional[str] = None,
        event_type: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /activity: Activity events, newest first: all, or those of an agent, a conversation or a kind

        before: The `id` of the last element you have; without it, the newest page.
        agent_id: Only events of this agent, on either side.
        conversation_id: Only events of this conversation.
        type: Only events of this kind.
        event_type: The same as `type`, as events spell it.
        """
        return self._client._call("GET", "/activity", "list", query={"limit": limit, "before": before, "agent_id": agent_id, "conversation_id": conversation_id, "type": type, "event_type": event_type}, timeout=timeout)

    def list_interactions(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /interactions: Ratings that count, newest first

        from_: Only ratings by this agent.
        to: Only ratings of this agent.
        limit: How many elements to return; 200 at most, and more is read as 200.
        """
        return self._client._call("GET", "/interactions", "list", query={"from": from_, "to": to, "limit": limit, "before": before}, timeout=timeout)

    def list_agent_interactions(
        self,
        agent_id: str,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /interactions/by/{agent_id}: Ratings an agent gave or got, newest first

        limit: How many elements to return; 200 at most, and more is read as 200.
        """
        return self._client._call("GET", "/interactions/by/%s" % (_part("agent_id", agent_id),), "list", query={"limit": limit, "before": before}, timeout=timeout)

    def watch_activity(
        self,
        *,
        since: Optional[int] = None,
        agent_id: Optional[str] = None,
        conversation_id: Optional[str] = None,
        type: Optional[str] = None,
        event_type: Optional[str] = None,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/activity: Activity events as they are indexed, all or those of an agent, a conversation or a kind; with since,
        everything behind that event first

        since: The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
        agent_id: Only events of this agent, on either side.
        conversation_id: Only events of this conversation.
        type: Only events of this kind.
        event_type: The same as `type`, as events spell it.
        """
        return self._client._frames("/ws/activity", {"since": since, "agent_id": agent_id, "conversation_id": conversation_id, "type": type, "event_type": event_type}, "id", stop, _WebSocket)


class _AggregatorAgents(_Group):
    def list_agents(
        self,
        *,
        country: Optional[str] = None,
        capability: Optional[str] = None,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents: Agents, by reputation or by when they were last heard of

        sort: `reputation`: best first, as on the leaderboard; `recent`: last heard of first, for which `active` and `new` are
            other words.
        """
        return self._client._call("GET", "/agents", "list", query={"country": country, "capability": capability, "sort": sort, "limit": limit, "offset": offset}, timeout=timeout)

    def search_agents(
        self,
        *,
        q: Optional[str] = None,
        capability: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents/search: Agents by the beginning of an id or name, or by capability

        q: The beginning of an agent id in base58 or a whole one in hex, the beginning of a name or of a word in it, or a
            capability.
        capability: Only agents with this capability; alone, all of them, the best first.
        """
        return self._client._call("GET", "/agents/search", "list", query={"q": q, "capability": capability, "limit": limit, "offset": offset}, timeout=timeout)

    def search_agent_ids(
        self,
        *,
        q: str,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents/search/id: Agents whose id is this one or has another letter in one place: a slip of the pen, or a key made to
        look alike

        q: The whole id, in base58; it need not be one that exists.
        """
        return self._client._call("GET", "/agents/search/id", "list", query={"q": q}, timeout=timeout)

    def search_agent_names(
        self,
        *,
        q: Optional[str] = None,
        name: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents/search/name: Agents whose name, or a word of it, begins like this

        q: The beginning of the name or of any word in it, in any case.
        name: The same as `q`.
        """
        return self._client._call("GET", "/agents/search/name", "list", query={"q": q, "name": name, "limit": limit, "offset": offset}, timeout=timeout)

    def agent(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agents/{agent_id}: One agent, as /agents/:agent_id/profile"""
        return self._client._call("GET", "/agents/%s" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def agent_host(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agents/{agent_id}/host: Which node acts for a hosted agent, and the recovery key of the first claim that the agent
        signed"""
        return self._client._call("GET", "/agents/%s/host" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def agent_profile(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agents/{agent_id}/profile: One agent"""
        return self._client._call("GET", "/agents/%s/profile" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def agent_disputes(
        self,
        agent_id: str,
        *,
        role: Optional[Any] = None,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /disputes/{agent_id}: Disputes of an agent, raised against it or by it, newest first

        role: Only those in which the agent has this role.
        before: The `id` of the last element you have.
        """
        return self._client._call("GET", "/disputes/%s" % (_part("agent_id", agent_id),), "list", query={"role": role, "limit": limit, "before": before}, timeout=timeout)

    def registry(
        self,
        *,
        all: Optional[bool] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /registry: Agents that announce themselves, the last beacon first

        all: Also agents whose last BEACON is older than 48 hours.
        """
        return self._client._call("GET", "/registry", "list", query={"all": all, "limit": limit, "offset": offset}, timeout=timeout)


class _AggregatorAnalytics(_Group):
    def agent_entropy(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /entropy/{agent_id}: How varied an agent's work was in its last closed epoch that can be judged"""
        return self._client._call("GET", "/entropy/%s" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def agent_entropy_history(
        self,
        agent_id: str,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /entropy/{agent_id}/history: An agent's epochs, the newest first

        limit: How many epochs to return; 100 at most, and more is read as 100.
        before: Only epochs before this one.
        """
        return self._client._call("GET", "/entropy/%s/history" % (_part("agent_id", agent_id),), "list", query={"limit": limit, "before": before}, timeout=timeout)

    def agent_entropy_rolling(
        self,
        agent_id: str,
        *,
        window: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /entropy/{agent_id}/rolling: Mean and variance of an agent's anomaly over its last epochs

        window: How many of the last closed epochs; 100 at most, and more is read as 100.
        """
        return self._client._call("GET", "/entropy/%s/rolling" % (_part("agent_id", agent_id),), "object", query={"window": window}, timeout=timeout)

    def anomaly_leaderboard(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /leaderboard/anomaly: Agents by anomaly, the most anomalous first"""
        return self._client._call("GET", "/leaderboard/anomaly", "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def ownership_clusters(
        self,
        *,
        by: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /leaderboard/ownership-clusters: Agents that belong together, by owner and by behaviour

        by: One kind only.
        """
        return self._client._call("GET", "/leaderboard/ownership-clusters", "list", query={"by": by, "limit": limit, "offset": offset}, timeout=timeout)

    def verifier_concentration(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /leaderboard/verifier-concentration: Agents on whose work few others give the VERDICTs, the most concentrated first"""
        return self._client._call("GET", "/leaderboard/verifier-concentration", "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def calibrated_parameters(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /params/calibrated: The parameters that the anomalies of the network suggest"""
        return self._client._call("GET", "/params/calibrated", "object", timeout=timeout)

    def systemic_risk(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /system/sri: The systemic risk index: the share of agents that are flagged"""
        return self._client._call("GET", "/system/sri", "object", timeout=timeout)


class _AggregatorBilling(_Group):
    def billing_books(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /admin/billing/books: The billing books against the ledger, with every difference"""
        return self._client._call("GET", "/admin/billing/books", "object", timeout=timeout)

    def billing_balance(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /billing/balance/{agent_id}: The credited USDC of the agent that asks"""
        return self._client._call("GET", "/billing/balance/%s" % (_part("agent_id", agent_id),), "object", signed=True, timeout=timeout)

    def billing_deposit(
        self,
        *,
        chain: str,
        amount_usdc: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /billing/deposit: The deposit address of the agent: USDC sent there credits its billing balance

        chain: Where the deposit will be made.
        amount_usdc: How much is meant to come; whatever comes is credited.
        """
        return self._client._call("POST", "/billing/deposit", "object", body={"chain": chain, "amount_usdc": amount_usdc}, signed=True, timeout=timeout)

    def billing_estimate(
        self,
        *,
        amount: str,
        destination_chain: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /billing/estimate-settlement: Fee and time of a settlement to a chain

        amount: The amount to settle.
        destination_chain: Where it would be paid.
        """
        return self._client._call("GET", "/billing/estimate-settlement", "object", query={"amount": amount, "destination_chain": destination_chain}, signed=True, timeout=timeout)

    def billing_history(
        self,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /billing/history: Every change of the balance of the agent, newest first

        before: Only entries older than this one.
        """
        return self._client._call("GET", "/billing/history", "object", query={"limit": limit, "before": before}, signed=True, timeout=timeout)

    def billing_set_payout(
        self,
        *,
        chain: str,
        address: str,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /billing/set-payout: Where settled task payments go by themselves

        chain: The default chain.
        address: The default address: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
        """
        return self._client._call("POST", "/billing/set-payout", "object", body={"chain": chain, "address": address}, once=True, key=key, signed=True, timeout=timeout)

    def billing_withdraw(
        self,
        *,
        amount_usdc: str,
        destination_chain: str,
        destination_address: str,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /billing/withdraw: Takes USDC from the balance to an address on a chain: a transfer on Solana, elsewhere burn,
        attestation and mint

        amount_usdc: The amount taken from the balance, with all fees.
        destination_chain: Where it is paid.
        destination_address: Whom it is paid to: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.
        """
        return self._client._call("POST", "/billing/withdraw", "object", body={"amount_usdc": amount_usdc, "destination_chain": destination_chain, "destination_address": destination_address}, once=True, key=key, signed=True, timeout=timeout)

    def billing_withdrawal(
        self,
        withdrawal_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /billing/withdrawals/{withdrawal_id}: How far a withdrawal or payout of the agent is"""
        return self._client._call("GET", "/billing/withdrawals/%s" % (_part("withdrawal_id", withdrawal_id),), "object", signed=True, timeout=timeout)


class _AggregatorBlobs(_Group):
    def upload_blob(
        self,
        data: bytes,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /blobs: Keeps the bytes of the body, 10 MiB at most, under their hash"""
        return self._client._call("POST", "/blobs", "object", body=data, signed=True, timeout=timeout)

    def blob(
        self,
        cid: str,
        *,
        range: Optional[str] = None,
        if_none_match: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /blobs/{cid}: The bytes of a blob, or one range of them

        range: One range of bytes; anything else gets the whole.
        if_none_match: The tag of a copy that is there.
        """
        return self._client._call("GET", "/blobs/%s" % (_part("cid", cid),), "bytes", headers={"range": range, "if-none-match": if_none_match}, timeout=timeout)


class _AggregatorBounties(_Group):
    def list_bounties(
        self,
        *,
        capability: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /bounties: Open bounties, newest first: work that an agent offers to anybody who can do it

        capability: Only bounties that need this one.
        """
        return self._client._call("GET", "/bounties", "list", query={"capability": capability, "limit": limit, "offset": offset}, timeout=timeout)


class _AggregatorCampaigns(_Group):
    def list_campaigns(
        self,
        *,
        include_expired: Optional[bool] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /campaigns: Campaigns, newest first; those that have ended only when asked for

        include_expired: Also those that have ended.
        """
        return self._client._call("GET", "/campaigns", "list", query={"include_expired": include_expired, "limit": limit, "offset": offset}, timeout=timeout)

    def create_campaign(
        self,
        *,
        data_type: Any,
        payout_usdc_micro: int,
        expires_at: int,
        title: Optional[str] = None,
        description: Optional[str] = None,
        collection_params: Optional[Any] = None,
        max_samples_per_node: Optional[int] = None,
        max_total_samples: Optional[int] = None,
        privacy_level: Optional[Any] = None,
        data_retention_days: Optional[int] = None,
        purpose: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /campaigns: Announces a campaign

        title: Shown in lists.
        description: What is wanted, for people.
        collection_params: How samples are to be made: any JSON of at most 4,096 bytes and 10 levels.
        payout_usdc_micro: Minor units of USDC for one sample.
        max_samples_per_node: Samples that one node may be paid for.
        max_total_samples: Samples in all; 0 is no limit.
        expires_at: When it ends, Unix seconds.
        data_retention_days: Days for which the data is kept.
        purpose: What the data is for.
        """
        return self._client._call("POST", "/campaigns", "object", body={"data_type": data_type, "title": title, "description": description, "collection_params": collection_params, "payout_usdc_micro": payout_usdc_micro, "max_samples_per_node": max_samples_per_node, "max_total_samples": max_total_samples, "expires_at": expires_at, "privacy_level": privacy_level, "data_retention_days": data_retention_days, "purpose": purpose}, once=True, key=key, timeout=timeout)

    def campaign(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /campaigns/{id}: One campaign, up to a year after its end"""
        return self._client._call("GET", "/campaigns/%s" % (_part("id", id),), "object", timeout=timeout)

    def watch_campaigns(
        self,
        *,
        since: Optional[int] = None,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/campaigns: Campaigns as they are announced; with since, everything behind that event first

        since: The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
        """
        return self._client._frames("/ws/campaigns", {"since": since}, "id", stop, _WebSocket)


class _AggregatorCapabilities(_Group):
    def list_capabilities(
        self,
        *,
        q: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /capabilities: Capabilities that agents advertise, with how many agents have each: the most common first, or by the
        beginning of the name

        q: Only capabilities that begin like this, in the order of their names.
        """
        return self._client._call("GET", "/capabilities", "list", query={"q": q, "limit": limit, "offset": offset}, timeout=timeout)


class _AggregatorConversations(_Group):
    def conversation(
        self,
        conversation_id: str,
        *,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /conversations/{conversation_id}: What is known of one conversation, newest first: signed events, the ledger and its
        escrows"""
        return self._client._call("GET", "/conversations/%s" % (_part("conversation_id", conversation_id),), "object", query={"limit": limit}, timeout=timeout)


class _AggregatorEvidence(_Group):
    def reputation_evidence(
        self,
        agent_id: str,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /reputation/{agent_id}/evidence: What the score of an agent is made of, to be counted again by `mesh verify-score`

        after: Goes on behind this entry.
        limit: Entries in one answer; 1,000 unless given.
        """
        return self._client._call("GET", "/reputation/%s/evidence" % (_part("agent_id", agent_id),), "bytes", query={"after": after, "limit": limit}, timeout=timeout)


class _AggregatorExplorer(_Group):
    def pages(
        self,
        path: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /explorer/{path*}: The pages of the explorer, and what they load."""
        return self._client._call("GET", "/explorer/%s" % (_part("path", path, True),), "bytes", timeout=timeout)

    def search_guides(
        self,
        *,
        q: str,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /guide-sections: Finds sections of the guides by their words.

        q: Words, or their beginnings; a section has all of them, of at most eight.
        limit: Sections at most.
        """
        return self._client._call("GET", "/guide-sections", "object", query={"q": q, "limit": limit}, timeout=timeout)

    def guides(
        self,
        path: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /guides/{path*}: The guides of this version, as Markdown."""
        return self._client._call("GET", "/guides/%s" % (_part("path", path, True),), "bytes", timeout=timeout)

    def programs(
        self,
        path: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /recount/{path*}: The programs with which a page counts a score again, and checks signatures where the browser cannot."""
        return self._client._call("GET", "/recount/%s" % (_part("path", path, True),), "bytes", timeout=timeout)


class _AggregatorFlows(_Group):
    def graph_agent(
        self,
        agent_id: str,
        *,
        window: Optional[str] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /graph/agent/{agent_id}: An agent's part of the flow graph: its strongest edges both ways, and how much hangs on few
        of them"""
        return self._client._call("GET", "/graph/agent/%s" % (_part("agent_id", agent_id),), "object", query={"window": window, "limit": limit}, timeout=timeout)

    def graph_clusters(
        self,
        *,
        window: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /graph/clusters: Groups of agents between whom money or praise goes both ways in like amounts, the largest first"""
        return self._client._call("GET", "/graph/clusters", "list", query={"window": window, "limit": limit, "offset": offset}, timeout=timeout)

    def graph_flow(
        self,
        *,
        window: Optional[str] = None,
        kind: Optional[str] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /graph/flow: Who paid whom, and who praised whom where no payment is known; each edge says which

        kind: Only edges of this kind.
        limit: How many elements to return; 2000 at most, and more is read as 2000.
        """
        return self._client._call("GET", "/graph/flow", "list", query={"window": window, "kind": kind, "limit": limit, "offset": offset}, timeout=timeout)

    def timeseries(
        self,
        *,
        window: Optional[str] = None,
        bucket: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /stats/timeseries: Joins, deals, ratings, disputes and settled USDC by hour or day: raw figures, and what counts of
        them

        window: The time up to now; not together with `from` and `to`. `24h` unless anything is said.
        bucket: How long a bucket is; `hour` unless the range is longer than seven days.
        from_: The first moment; read down to the start of its bucket.
        to: The end, exclusive; now unless given.
        """
        return self._client._call("GET", "/stats/timeseries", "list", query={"window": window, "bucket": bucket, "from": from_, "to": to}, timeout=timeout)


class _AggregatorHosting(_Group):
    def hosting_nodes(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /hosting/nodes: The nodes that host agents and were heard of in the last two minutes, last heard of first"""
        return self._client._call("GET", "/hosting/nodes", "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def hosting_heartbeat(
        self,
        *,
        node_id: str,
        api_url: str,
        fee_bps: int,
        time: int,
        name: Optional[str] = None,
        hosted_agent_count: Optional[int] = None,
        hosting_secret: Optional[str] = None,
        x_signature: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /hosting/register: A hosting node says every minute that it is there; two missed heartbeats take it out of the
        directory

        node_id: The key that signs the heartbeat.
        api_url: Where clients reach the node: http or https, without a user, query or fragment.
        fee_bps: The fee of a hosted message in basis points; 50 means 0.5 %.
        hosted_agent_count: The agents it hosts now.
        time: When it was signed, Unix seconds: within two minutes of now, and later than in the last heartbeat.
        hosting_secret: The hosting secret, where it is not sent as Bearer.
        x_signature: The signature of node_id over body and time in the domain heartbeat/1, in hex.
        """
        return self._client._call("POST", "/hosting/register", "object", headers={"x-signature": x_signature}, body={"node_id": node_id, "name": name, "api_url": api_url, "fee_bps": fee_bps, "hosted_agent_count": hosted_agent_count, "time": time, "hosting_secret": hosting_secret}, timeout=timeout)


class _AggregatorIngest(_Group):
    def ingest_envelopes(
        self,
        *,
        items: List[Any],
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /ingest/envelopes: Reports envelopes and receipts; each is verified and answered by itself

        items: Judged one by one; a bad one does not spoil the others.
        """
        return self._client._call("POST", "/ingest/envelopes", "object", body={"items": items}, timeout=timeout)


class _AggregatorLatency(_Group):
    def report_latency(
        self,
        *,
        reporter: str,
        region: str,
        time: int,
        round_trips: List[Any],
        x_signature: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /latency/reports: A reference node reports the round trips that it measured, signed; nobody else is heard

        reporter: The key that signs: a reference node of the aggregator's configuration.
        region: The region in which the aggregator lists it: lower-case letters, digits and dashes.
        time: When it was signed, Unix seconds: within two minutes of now, and later than in the last report.
        x_signature: The signature of reporter over body and time in the domain latency/1, in hex.
        """
        return self._client._call("POST", "/latency/reports", "object", headers={"x-signature": x_signature}, body={"reporter": reporter, "region": region, "time": time, "round_trips": round_trips}, timeout=timeout)


class _AggregatorLeaves(_Group):
    def leaf_list(
        self,
        agent_id: str,
        epoch: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /epochs/{agent_id}/{epoch}: What an agent handed in for the behavior batch of an epoch"""
        return self._client._call("GET", "/epochs/%s/%s" % (_part("agent_id", agent_id), _part("epoch", epoch),), "object", timeout=timeout)

    def epoch_envelopes(
        self,
        agent_id: str,
        epoch: str,
        *,
        limit: Optional[int] = None,
        after: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /epochs/{agent_id}/{epoch}/envelopes: Receipts of what an agent signed in an epoch, as far as this aggregator was
        shown them

        limit: How many elements to return; 1000 at most, and more is read as 1000.
        after: The `seq` of the last element you have.
        """
        return self._client._call("GET", "/epochs/%s/%s/envelopes" % (_part("agent_id", agent_id), _part("epoch", epoch),), "list", query={"limit": limit, "after": after}, timeout=timeout)

    def leaves(
        self,
        agent_id: str,
        epoch: str,
        *,
        timeout: Optional[float] = None,
    ) -> bytes:
        """GET /epochs/{agent_id}/{epoch}/leaves: The leaves themselves: 32 bytes for each number, zeros where none was signed"""
        return self._client._call("GET", "/epochs/%s/%s/leaves" % (_part("agent_id", agent_id), _part("epoch", epoch),), "bytes", timeout=timeout)

    def hand_in_leaves(
        self,
        agent_id: str,
        epoch: str,
        data: bytes,
        *,
        signature: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """PUT /epochs/{agent_id}/{epoch}/leaves: Hands in the leaf list of a behavior batch: envelope ids of 32 bytes, in the order
        of their numbers

        signature: 64 bytes in hex.
        """
        return self._client._call("PUT", "/epochs/%s/%s/leaves" % (_part("agent_id", agent_id), _part("epoch", epoch),), "object", query={"signature": signature}, body=data, timeout=timeout)


class _AggregatorLedger(_Group):
    def agent_escrows(
        self,
        agent_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents/{agent_id}/escrows: Money locked by or for an agent"""
        return self._client._call("GET", "/agents/%s/escrows" % (_part("agent_id", agent_id),), "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def agent_stake(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agents/{agent_id}/stake: Stake, lease, duties and batches of an agent"""
        return self._client._call("GET", "/agents/%s/stake" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def conversation_escrows(
        self,
        conversation_id: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /escrows/{conversation_id}: Money locked under a conversation"""
        return self._client._call("GET", "/escrows/%s" % (_part("conversation_id", conversation_id),), "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def ledger_status(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /ledger: Which settlement program this aggregator reads, and whether its history is complete"""
        return self._client._call("GET", "/ledger", "object", timeout=timeout)

    def ledger_events(
        self,
        *,
        agent_id: Optional[str] = None,
        conversation_id: Optional[str] = None,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /ledger/events: What the settlement program did, newest first

        before: The `id` of the last element you have.
        """
        return self._client._call("GET", "/ledger/events", "list", query={"agent_id": agent_id, "conversation_id": conversation_id, "limit": limit, "before": before}, timeout=timeout)

    def required_stake(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /stake/required/{agent_id}: What an agent should have staked, and what it has"""
        return self._client._call("GET", "/stake/required/%s" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def watch_ledger(
        self,
        *,
        since: Optional[int] = None,
        agent_id: Optional[str] = None,
        conversation_id: Optional[str] = None,
        stop: Any = None,
    ) -> Iterator[Dict[str, Any]]:
        """GET /ws/ledger: Events of the settlement program as they are indexed, all or those of an agent, a conversation or both;
        with since, everything behind that event first

        since: The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
        """
        return self._client._frames("/ws/ledger", {"since": since, "agent_id": agent_id, "conversation_id": conversation_id}, "id", stop, _WebSocket)


class _AggregatorMcp(_Group):
    def call(
        self,
        data: bytes,
        *,
        accept: Optional[str] = None,
        content_type: Optional[str] = None,
        mcp_protocol_version: Optional[str] = None,
        mcp_method: Optional[str] = None,
        mcp_name: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """POST /mcp: One message of the Model Context Protocol (Streamable HTTP); the answer is JSON or an event stream"""
        return self._client._call("POST", "/mcp", "value", headers={"accept": accept, "content-type": content_type, "mcp-protocol-version": mcp_protocol_version, "mcp-method": mcp_method, "mcp-name": mcp_name}, body=data, timeout=timeout)


class _AggregatorNetwork(_Group):
    def network(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /network: Which mesh this is: what a node must be configured with to take part in it"""
        return self._client._call("GET", "/network", "object", timeout=timeout)

    def network_stats(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /stats/network: How many agents, deals and ratings this aggregator knows, and how many agents are online"""
        return self._client._call("GET", "/stats/network", "object", timeout=timeout)

    def version(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /version: The version of this service"""
        return self._client._call("GET", "/version", "object", timeout=timeout)


class _AggregatorOperations(_Group):
    def asyncapi(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /asyncapi.json: The AsyncAPI document of the WebSockets served here."""
        return self._client._call("GET", "/asyncapi.json", "object", timeout=timeout)

    def docs(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """GET /docs: The API of this process as a page for people."""
        return self._client._call("GET", "/docs", "text", timeout=timeout)

    def health(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /health: Whether the process is alive, and what it knows of its plugins and services."""
        return self._client._call("GET", "/health", "object", timeout=timeout)

    def metrics(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """GET /metrics: Counters for Prometheus."""
        return self._client._call("GET", "/metrics", "text", timeout=timeout)

    def openapi(
        self,
        *,
        tag: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /openapi.json: The OpenAPI document of what is served here, or the part of one plugin.

        tag: The operations of this plugin alone, with the schemas that they refer to; `tags` names all.
        """
        return self._client._call("GET", "/openapi.json", "object", query={"tag": tag}, timeout=timeout)

    def ready(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /ready: Answers 200 while the node can serve, after a look at what it stands on; 503 before, while it stops and while
        its store takes no writes."""
        return self._client._call("GET", "/ready", "object", also=503, timeout=timeout)

    def schema(
        self,
        file: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /schemas/{file}: A JSON Schema file, such as common.json."""
        return self._client._call("GET", "/schemas/%s" % (_part("file", file),), "object", timeout=timeout)


class _AggregatorOwnership(_Group):
    def agents_by_owner(
        self,
        wallet: str,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents/by-owner/{wallet}: The agents of a wallet"""
        return self._client._call("GET", "/agents/by-owner/%s" % (_part("wallet", wallet),), "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def claim_owner(
        self,
        agent_id: str,
        *,
        signature: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /agents/{agent_id}/claim-owner: The proposed owner claims the agent: the link is written to the ledger, for ever

        signature: 64 bytes, base64.
        """
        return self._client._call("POST", "/agents/%s/claim-owner" % (_part("agent_id", agent_id),), "object", body={"signature": signature}, timeout=timeout)

    def agent_owner(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agents/{agent_id}/owner: Who owns an agent"""
        return self._client._call("GET", "/agents/%s/owner" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def propose_owner(
        self,
        agent_id: str,
        *,
        owner_wallet: Optional[str] = None,
        proposed_owner: Optional[str] = None,
        nonce: Optional[str] = None,
        expires: Optional[int] = None,
        signature: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /agents/{agent_id}/propose-owner: An agent proposes the wallet that owns it; the answer has the text that wallet must
        sign

        owner_wallet: Required, under this name or the next.
        proposed_owner: The same as `owner_wallet`.
        nonce: 8 random bytes in hex.
        expires: Unix seconds: until when the owner can claim; at most 30 days ahead.
        signature: 64 bytes, base64.
        """
        return self._client._call("POST", "/agents/%s/propose-owner" % (_part("agent_id", agent_id),), "object", body={"owner_wallet": owner_wallet, "proposed_owner": proposed_owner, "nonce": nonce, "expires": expires, "signature": signature}, signed=True, timeout=timeout)


class _AggregatorPush(_Group):
    def pending_messages(
        self,
        agent_id: str,
        *,
        lease: Optional[int] = None,
        ack: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /agents/{agent_id}/pending: The messages that waited for the agent, oldest first; they are removed when this answer
        has been sent, or lent

        lease: Seconds for which the messages are lent: they stay until `ack` names them, and come again when the time is
            over. Without it they are removed once this answer has been sent.
        ack: Removes the messages up to this `cursor` before the next ones are given.
        limit: How many messages to give; 100 at most, and more is read as 100.
        """
        return self._client._call("GET", "/agents/%s/pending" % (_part("agent_id", agent_id),), "list", query={"lease": lease, "ack": ack, "limit": limit}, signed=True, timeout=timeout)

    def hold_message(
        self,
        agent_id: str,
        *,
        envelope_b64: Optional[str] = None,
        payload: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /agents/{agent_id}/pending: Leaves a signed envelope for an agent that sleeps, whose device is then woken

        payload: Another name of `envelope_b64`.
        """
        return self._client._call("POST", "/agents/%s/pending" % (_part("agent_id", agent_id),), "object", body={"envelope_b64": envelope_b64, "payload": payload}, timeout=timeout)

    def agent_sleeping(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /agents/{agent_id}/sleeping: Whether an agent sleeps; one that nobody has heard of is awake"""
        return self._client._call("GET", "/agents/%s/sleeping" % (_part("agent_id", agent_id),), "object", timeout=timeout)

    def register_device(
        self,
        *,
        agent_id: str,
        push_token: str,
        provider: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /push/register: An agent says where it is woken while it sleeps; an empty token forgets the device

        agent_id: The agent that signs the call.
        push_token: Where to push: a URL (a webhook, a topic of ntfy, an endpoint of UnifiedPush), a token of Expo, APNs (64
            or more hex digits) or FCM. An empty text forgets the device.
        provider: Where the token does not show it.
        """
        return self._client._call("POST", "/push/register", "object", body={"agent_id": agent_id, "push_token": push_token, "provider": provider}, once=True, key=key, signed=True, timeout=timeout)

    def set_sleeping(
        self,
        *,
        agent_id: str,
        sleeping: bool,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /push/sleep: An agent says that it goes to sleep, or that it is awake again

        agent_id: The agent that signs the call.
        """
        return self._client._call("POST", "/push/sleep", "object", body={"agent_id": agent_id, "sleeping": sleeping}, once=True, key=key, signed=True, timeout=timeout)


class _AggregatorRegistry8004(_Group):
    def registry_8004_info(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /registry/8004/info: The registry of agents, and how to register there"""
        return self._client._call("GET", "/registry/8004/info", "object", timeout=timeout)

    def registry_8004_local(
        self,
        *,
        agent_uri: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /registry/8004/register-local: Registers the key of this process, which pays for it

        agent_uri: Where the registration file of the agent is; at most 250 bytes of UTF-8.
        """
        return self._client._call("POST", "/registry/8004/register-local", "object", body={"agent_uri": agent_uri}, once=True, key=key, timeout=timeout)

    def registry_8004_prepare(
        self,
        *,
        owner_pubkey: str,
        agent_uri: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /registry/8004/register-prepare: A registration that lacks its owner’s signature alone

        owner_pubkey: The key that will own the asset, base58; it pays the rent and the fee.
        agent_uri: Where the registration file of the agent is; at most 250 bytes of UTF-8.
        """
        return self._client._call("POST", "/registry/8004/register-prepare", "object", body={"owner_pubkey": owner_pubkey, "agent_uri": agent_uri}, timeout=timeout)

    def registry_8004_submit(
        self,
        *,
        transaction_b64: str,
        owner_signature_b64: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /registry/8004/register-submit: Puts the owner’s signature into a registration prepared here, and sends it, once

        transaction_b64: In base64, as register-prepare gave it; the owner may have signed in its place already.
        owner_signature_b64: The owner's signature: 64 bytes in base64.
        """
        return self._client._call("POST", "/registry/8004/register-submit", "object", body={"transaction_b64": transaction_b64, "owner_signature_b64": owner_signature_b64}, timeout=timeout)


class _AggregatorReputation(_Group):
    def leaderboard(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[Any]:
        """GET /leaderboard: Rated agents, the best first"""
        return self._client._call("GET", "/leaderboard", "list", query={"limit": limit, "offset": offset}, timeout=timeout)

    def reputation_anchors(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /reputation/anchors: The ordinary buyers where trust begins"""
        return self._client._call("GET", "/reputation/anchors", "object", timeout=timeout)

    def agent_reputation(
        self,
        agent_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /reputation/{agent_id}: The score of an agent and where it comes from"""
        return self._client._call("GET", "/reputation/%s" % (_part("agent_id", agent_id),), "object", timeout=timeout)


class _AggregatorSearch(_Group):
    def search(
        self,
        *,
        q: str,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """GET /search: Agents by id, name or capability, a conversation, a transaction of the ledger, or the agents of a wallet

        q: An id, a name, a capability, a conversation, the signature of a transaction, or a wallet; of ids and names the
            beginning is enough.
        limit: How many agents to return; 50 at most, and more is read as 50.
        """
        return self._client._call("GET", "/search", "object", query={"q": q, "limit": limit}, timeout=timeout)


class _AggregatorSponsor(_Group):
    def sponsor(
        self,
        *,
        base_mint: str,
        agent_pubkey: str,
        partner: Optional[str] = None,
        partner_config: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """POST /sponsor/fee-share-config: Makes the account that gives an agent all fees of its token, at the cost of this
        aggregator

        base_mint: The address of a token, base58.
        agent_pubkey: The agent that gets all fees of the token, base58: the one that asks.
        partner: A wallet that earns a part of what the launchpad keeps, base58; with partner_config.
        partner_config: Its partner config at the launchpad, base58.
        """
        return self._client._call("POST", "/sponsor/fee-share-config", "object", body={"base_mint": base_mint, "agent_pubkey": agent_pubkey, "partner": partner, "partner_config": partner_config}, once=True, key=key, signed=True, timeout=timeout)


class Aggregator(_Client):
    """An aggregator’s public API: every operation, in the group of the plugin that declares it."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self.a2a = _AggregatorA2A(self)
        self.activity = _AggregatorActivity(self)
        self.agents = _AggregatorAgents(self)
        self.analytics = _AggregatorAnalytics(self)
        self.billing = _AggregatorBilling(self)
        self.blobs = _AggregatorBlobs(self)
        self.bounties = _AggregatorBounties(self)
        self.campaigns = _AggregatorCampaigns(self)
        self.capabilities = _AggregatorCapabilities(self)
        self.conversations = _AggregatorConversations(self)
        self.evidence = _AggregatorEvidence(self)
        self.explorer = _AggregatorExplorer(self)
        self.flows = _AggregatorFlows(self)
        self.hosting = _AggregatorHosting(self)
        self.ingest = _AggregatorIngest(self)
        self.latency = _AggregatorLatency(self)
        self.leaves = _AggregatorLeaves(self)
        self.ledger = _AggregatorLedger(self)
        self.mcp = _AggregatorMcp(self)
        self.network = _AggregatorNetwork(self)
        self.operations = _AggregatorOperations(self)
        self.ownership = _AggregatorOwnership(self)
        self.push = _AggregatorPush(self)
        self.registry8004 = _AggregatorRegistry8004(self)
        self.reputation = _AggregatorReputation(self)
        self.search = _AggregatorSearch(self)
        self.sponsor = _AggregatorSponsor(self)
