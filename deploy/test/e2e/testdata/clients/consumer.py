"""A program with the installed package: its types are those of the API only, and it runs to the end if the client repeats
requests and reads all pages."""

import os

from quayside_client import Client, ProblemError

api = Client(os.environ["QUAYSIDE_URL"], os.environ["QUAYSIDE_TOKEN"])
for reference in ("PY-1", "PY-2", "PY-3"):
    created = api.create_shipment({"shipment": {
        "reference": reference, "vessel": "Python", "origin": "Cape Town, ZA", "destination": "Rotterdam, NL",
    }})
    name: str = created.data["shipment"]["reference"]
    assert name == reference
pages = api.list_shipments(vessel="Python", per_page=2).pages()
print(*(shipment["reference"] for page in pages for shipment in page["shipments"]))
while sum(len(page["events"]) for page in api.list_events(limit=20).pages()) < 3:
    pass  # an event is there soon after its change
try:
    Client("localhost:8080", "a token")
except ValueError:
    print("an address without https://")
try:
    api.list_shipments(status="lost")  # type: ignore[arg-type] # there is no such status
except ProblemError as error:
    print(error.status, error.code)
