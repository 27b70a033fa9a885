"""Creates a shipment, attaches its packing list, waits until it has been read, and shows what was found.

Needs Python 3.9; QUAYSIDE_URL and QUAYSIDE_TOKEN in the environment.
"""

import base64
import json
import os
import pathlib
import time
import urllib.error
import urllib.request
import uuid


def call(method, path, body=None, **headers):
    """Returns an answer's JSON, None for 304, and its ETag. When the token's requests are used up, waits for new ones."""
    request = urllib.request.Request(
        os.environ["QUAYSIDE_URL"] + "/api/v1" + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + os.environ["QUAYSIDE_TOKEN"], "Content-Type": "application/json", **headers},
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return json.load(answer), answer.headers["ETag"]
        except urllib.error.HTTPError as error:
            if error.code == 304:
                return None, error.headers["ETag"]
            if error.code != 429:
                raise SystemExit(error.read().decode()) from None  # a problem says what is wrong and what to do
            time.sleep(int(error.headers["Retry-After"]))


# The key makes it safe to send this again when no answer came: the shipment is created once.
created, _ = call(
    "POST",
    "/shipments",
    {"shipment": {"reference": "CFE-2026-0117", "vessel": "MSC Carmen", "origin": "Cape Town, ZA", "destination": "Rotterdam, NL"}},
    **{"Idempotency-Key": str(uuid.uuid4())},
)
path = "/shipments/" + created["shipment"]["id"]

packing_list = pathlib.Path(__file__).with_name("packing-list.csv")
call(
    "POST",
    path + "/documents",
    {
        "document": {
            "type": "packing_list",
            "filename": packing_list.name,
            "content_base64": base64.b64encode(packing_list.read_bytes()).decode(),
        }
    },
)

# Asks for the shipment once it is another than the one we have: the answer comes when it changes, or after 25 seconds.
etag, shipment = '"0"', {"status": "processing"}
while shipment["status"] == "processing":
    changed, etag = call("GET", path, **{"If-None-Match": etag, "Prefer": "wait=25"})
    if changed:
        shipment = changed["shipment"]

print(f"{shipment['reference']}: {shipment['status']}, {shipment['pallets_count']} pallets")
for check in shipment["checks"]:
    if check["result"] in ("warn", "fail"):
        print(f"{check['result']} {check['name']}: {check['details']}")
