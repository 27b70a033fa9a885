import createFetchClient from "openapi-fetch";
import type { components, paths as ShipmentsPaths } from "./shipments.gen.js";
import type { paths as TokensPaths } from "./tokens.gen.js";

/** The operations of shipments-svc and tokens-svc, by path and method. */
export type paths = ShipmentsPaths & TokensPaths;
export type Schemas = components["schemas"];

export interface Options {
	/** The gateway's address, such as https://quayside.example. */
	url: string;
	/** An API token. */
	token: string;
	/** How often a request is sent at most. Default: 6 */
	attempts?: number;
	/** What sends requests. Default: the fetch of the runtime */
	fetch?: (request: Request) => Promise<Response>;
}

/**
 * Returns a client with a typed method for each HTTP method. Each returns data, or error, a problem. Requests are repeated as
 * the guides say: after Retry-After for 429 and 503, after 1, 2, 4, … seconds for 502, 504 and broken connections. Each POST
 * has an Idempotency-Key, so that it takes effect once; pass your own to repeat it later.
 */
export function createClient({ url, token, attempts = 6, fetch = (request) => globalThis.fetch(request) }: Options) {
	if (!/^https?:\/\//.test(url)) throw new TypeError(`the address "${url}" does not begin with https:// or http://`);
	return createFetchClient<paths>({
		baseUrl: url,
		headers: { Authorization: `Bearer ${token}` },
		fetch: async (request) => {
			if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
				request.headers.set("Idempotency-Key", crypto.randomUUID());
			}
			for (let attempt = 1; ; attempt++) {
				let seconds = 2 ** (attempt - 1);
				try {
					const response = await fetch(request.clone());
					if (attempt >= attempts || !(await isTemporary(response))) return response;
					seconds = retryAfter(response.headers.get("Retry-After") ?? "") ?? seconds;
					await response.body?.cancel();
				} catch (error) {
					if (attempt >= attempts || request.signal.aborted) throw error;
				}
				await wait(seconds, request.signal);
			}
		},
	});
}

/** Reports whether a request is worth repeating. While the first one with its key is in progress, the answer is 409. */
async function isTemporary(response: Response): Promise<boolean> {
	if (response.status === 409) {
		const problem = await response.clone().json().catch(() => undefined);
		return problem?.code === "idempotency_in_progress";
	}
	return [429, 502, 503, 504].includes(response.status);
}

/** Returns the seconds of a Retry-After, a number of them or a date, at most a day; undefined without a time to come. */
function retryAfter(value: string): number | undefined {
	const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
	return seconds > 0 ? Math.min(seconds, 86_400) : undefined;
}

/** Waits, unless the signal ends it with its reason. */
function wait(seconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		signal.throwIfAborted();
		const timer = setTimeout(resolve, 1000 * seconds);
		signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
	});
}

/** What pages throws for a response that is no list. */
export class ProblemError extends Error {
	constructor(readonly problem: unknown) {
		super((problem as { detail?: string })?.detail ?? "the response is no list");
	}
}

/**
 * Returns the answers of a list, page by page, until there is no further one:
 *
 *     for await (const { shipments } of pages((next) => api.GET("/api/v1/shipments", { params: { query: { ...next } } })))
 *
 * next is the query of the next page, from the Link header.
 */
export async function* pages<T>(
	// any: the query of each list has types of its own
	page: (next: Record<string, any>) => Promise<{ data?: T; error?: unknown; response: Response }>,
): AsyncGenerator<T> {
	for (let last, next = ""; next !== last; ) {
		last = next;
		const { data, error, response } = await page(Object.fromEntries(new URLSearchParams(next)));
		if (data === undefined) throw new ProblemError(error);
		yield data;
		next = response.headers.get("Link")?.match(/<[^>]*\?([^>]*)>; rel="next"/)?.[1] ?? last;
	}
}
