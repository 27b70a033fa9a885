// A program with the installed package: it compiles with the types of the API only, and runs to the end if the client
// repeats requests and reads all pages.
import { createClient, pages } from "quayside-client";

const { QUAYSIDE_URL: url = "", QUAYSIDE_TOKEN: token = "" } = (globalThis as any).process.env;
const api = createClient({ url, token });
for (const reference of ["TS-1", "TS-2", "TS-3"]) {
	const shipment = { reference, vessel: "Typescript", origin: "Cape Town, ZA", destination: "Rotterdam, NL" };
	const { data, error } = await api.POST("/api/v1/shipments", { body: { shipment } });
	if (!data) throw new Error(error.detail);
	const name: string = data.shipment.reference;
	if (name !== reference) throw new Error(name);
}
const found: string[] = [];
for await (const { shipments } of pages((next) =>
	api.GET("/api/v1/shipments", { params: { query: { vessel: "Typescript", per_page: 2, ...next } } }))) {
	found.push(...shipments.map(({ reference }) => reference));
}
console.log(found.join(" "));
for (let events = 0; events < 3; ) { // one is there soon after its change
	events = 0;
	for await (const page of pages((next) => api.GET("/api/v1/events", { params: { query: { limit: 20, ...next } } }))) {
		events += page.events.length;
	}
}
try {
	createClient({ url: "localhost:8080", token });
} catch {
	console.log("an address without https://");
}
// @ts-expect-error There is no such path.
const { response } = await api.GET("/api/v1/nowhere");
console.log(response.status);
