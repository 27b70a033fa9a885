#!/bin/sh
# Creates a shipment, attaches its packing list, waits until it has been read, and shows what was found.
# Needs curl and jq; QUAYSIDE_URL and QUAYSIDE_TOKEN in the environment.
set -eu
cd "$(dirname "$0")"

# call METHOD PATH [curl's options]: prints the answer; ends with the problem, and status 22, when it is an error.
call() {
	method=$1 path=$2
	shift 2
	curl --silent --show-error --fail-with-body --request "$method" "$QUAYSIDE_URL/api/v1$path" \
		--header "Authorization: Bearer $QUAYSIDE_TOKEN" "$@"
}

# The key makes it safe to send this again when no answer came: the shipment is created once.
created=$(call POST /shipments --header 'Content-Type: application/json' --header "Idempotency-Key: $(date +%s)-$$" --data '{
	"shipment": {"reference": "CFE-2026-0117", "vessel": "MSC Carmen", "origin": "Cape Town, ZA", "destination": "Rotterdam, NL"}
}')
id=$(printf %s "$created" | jq --raw-output .shipment.id)

call POST "/shipments/$id/documents" --form type=packing_list --form file=@packing-list.csv > /dev/null

# Asks for the shipment once it is another than the one we have: the answer comes when it changes, or after 25 seconds.
etag=$(mktemp)
trap 'rm -f "$etag"' EXIT
shipment=
while
	changed=$(call GET "/shipments/$id" --header 'Prefer: wait=25' --etag-compare "$etag" --etag-save "$etag")
	shipment=${changed:-$shipment}
	[ "$(printf %s "$shipment" | jq --raw-output .shipment.status)" = processing ]
do :; done

printf %s "$shipment" | jq --raw-output '.shipment |
	"\(.reference): \(.status), \(.pallets_count) pallets",
	(.checks[] | select(.result == "warn" or .result == "fail") | "\(.result) \(.name): \(.details)")'
