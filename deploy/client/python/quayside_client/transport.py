"""What the generated operations stand on: sending and repeating a request, its response, and pages."""

from __future__ import annotations

import email.utils
import http.client
import json
import re
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class ProblemError(Exception):
    """A response without success, also 304. problem says what is wrong and what to do; it is empty where the response
    is no problem document."""

    def __init__(self, status: int, headers: Message, content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.problem: dict[str, Any] = {}
        if headers.get_content_type() == "application/problem+json":
            self.problem = json.loads(content)
        super().__init__(self.problem.get("detail", f"the response has status {status}"))

    @property
    def code(self) -> str | None:
        """The stable code of the problem."""
        return self.problem.get("code")

    @property
    def temporary(self) -> bool:
        """Whether the request is worth repeating. While the first one with its key is in progress, this is 409."""
        return self.status in (429, 502, 503, 504) or self.code == "idempotency_in_progress"


@dataclass(frozen=True)
class Response(Generic[T]):
    """A successful response."""

    status: int
    headers: Message
    data: T
    _path: str = field(repr=False)
    _transport: Transport = field(repr=False)

    def pages(self) -> Iterator[T]:
        """Returns the data of this page of a list and of all further ones:

            for page in api.list_shipments(status="approved").pages():
                for shipment in page["shipments"]:
        """
        response = self
        while True:
            yield response.data
            link = re.search(r'<([^>]*)>; rel="next"', response.headers.get("Link", ""))
            if link is None or link[1] == response._path:  # a feed names itself when it has no more
                return
            response = self._transport._send("GET", link[1])


class Transport:
    def __init__(self, url: str, token: str, *, attempts: int = 6, timeout: float = 40) -> None:
        """url is the gateway's address, such as https://quayside.example, and token an API token.

        A request is sent at most attempts times, and fails when nothing comes for timeout seconds.
        """
        if not url.startswith(("https://", "http://")):
            raise ValueError(f"the address {url!r} does not begin with https:// or http://")
        self._url = url.rstrip("/")
        self._token = token
        self._attempts = attempts
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_EveryStatus)

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: object = None,
        accept: str = "application/json",
    ) -> Response[Any]:
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        if given:
            path += "?" + urllib.parse.urlencode(given)
        sent = {"Authorization": "Bearer " + self._token, "Accept": accept}
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid.uuid4())
        sent |= {name: value for name, value in (headers or {}).items() if value is not None}
        if body is not None:
            sent["Content-Type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()

        attempt = 1
        while True:
            seconds = 2.0 ** (attempt - 1)
            # A new one each time: a proxy changes it.
            request = urllib.request.Request(self._url + path, content, sent, method=method)
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    status, received, answer = response.status, response.headers, response.read()
            except (OSError, http.client.HTTPException):
                if attempt >= self._attempts:
                    raise
            else:
                if 200 <= status < 300:
                    data = decoded(answer, received.get_content_type(), accept)
                    return Response(status, received, data, path, self)
                error = ProblemError(status, received, answer)
                if attempt >= self._attempts or not error.temporary:
                    raise error
                seconds = retry_after(received.get("Retry-After", ""), seconds)
            time.sleep(seconds)
            attempt += 1


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Returns every response. None is followed to another address, which would get the token."""

    def http_response(self, request: object, response: Any) -> Any:
        return response

    https_response = http_response


def retry_after(value: str, otherwise: float) -> float:
    """Returns the seconds of a Retry-After, a number of them or a date, up to a day; otherwise if it has passed."""
    try:
        if value.isdecimal():
            seconds = float(value)
        else:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError):
        return otherwise
    return min(seconds, 86_400) if seconds > 0 else otherwise


def decoded(content: bytes, kind: str, accept: str) -> Any:
    """Returns the data of a response: bytes of what is not JSON, None where only JSON is expected and nothing came."""
    if accept == "application/json":
        return json.loads(content) if content else None
    return json.loads(content) if kind == "application/json" and kind in accept else content


def segment(value: object) -> str:
    """Returns a value as one segment of a path."""
    return urllib.parse.quote(str(value), safe="")
