// Creates a shipment, attaches its packing list, waits until it has been read, and shows what was found.
// Needs Node 18; QUAYSIDE_URL and QUAYSIDE_TOKEN in the environment.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const { QUAYSIDE_URL, QUAYSIDE_TOKEN } = process.env;

// call returns an answer's JSON, nothing for 304, and its ETag. When the token's requests are used up, it waits for new ones.
async function call(method, path, body, headers = {}) {
	const answer = await fetch(`${QUAYSIDE_URL}/api/v1${path}`, {
		method,
		headers: { Authorization: `Bearer ${QUAYSIDE_TOKEN}`, "Content-Type": "application/json", ...headers },
		body: body && JSON.stringify(body),
	});
	if (answer.status === 429) {
		await setTimeout(1000 * Number(answer.headers.get("Retry-After")));
		return call(method, path, body, headers);
	}
	const etag = answer.headers.get("ETag");
	if (answer.status === 304) return { etag };
	if (!answer.ok) throw new Error(await answer.text()); // a problem says what is wrong and what to do
	return { etag, ...(await answer.json()) };
}

// The key makes it safe to send this again when no answer came: the shipment is created once.
const created = await call(
	"POST",
	"/shipments",
	{ shipment: { reference: "CFE-2026-0117", vessel: "MSC Carmen", origin: "Cape Town, ZA", destination: "Rotterdam, NL" } },
	{ "Idempotency-Key": randomUUID() },
);
const path = `/shipments/${created.shipment.id}`;

const content = await readFile(new URL("packing-list.csv", import.meta.url));
await call("POST", `${path}/documents`, {
	document: { type: "packing_list", filename: "packing-list.csv", content_base64: content.toString("base64") },
});

// Asks for the shipment once it is another than the one we have: the answer comes when it changes, or after 25 seconds.
let etag = '"0"';
let shipment = { status: "processing" };
while (shipment.status === "processing") {
	const answer = await call("GET", path, undefined, { "If-None-Match": etag, Prefer: "wait=25" });
	etag = answer.etag;
	shipment = answer.shipment ?? shipment;
}

console.log(`${shipment.reference}: ${shipment.status}, ${shipment.pallets_count} pallets`);
for (const { name, result, details } of shipment.checks) {
	if (result === "warn" || result === "fail") console.log(`${result} ${name}: ${details}`);
}
