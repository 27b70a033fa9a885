package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// consumer is a program with the installed package: it compiles with the types of the API only, and runs to the end if
// the client repeats requests and reads all pages.
const consumer = `import { createClient, pages } from "quayside-client";

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
let events = 0;
for await (const page of pages((next) => api.GET("/api/v1/events", { params: { query: { limit: 2, ...next } } }))) {
	events += page.events.length;
}
if (events < 3) throw new Error(events + " events");
// @ts-expect-error There is no such path.
const { response } = await api.GET("/api/v1/nowhere");
console.log(response.status);
`

// The client for TypeScript, packed, and installed from the pack, beside a gateway that fails every second request.
func TestTheTypeScriptClientRepeatsAndPages(t *testing.T) {
	t.Parallel()
	if os.Getenv("CI") == "" {
		t.Skip("installs packages: set CI")
	}
	gateway, err := url.Parse(stack.URL)
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(gateway)
	flaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := requests.Add(1); {
		case n%2 == 0:
			proxy.ServeHTTP(w, r)
		case n%4 == 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		default: // the request takes effect, and its response is lost
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(flaky.Close)

	dir, token := t.TempDir(), fresh(t, "shipments:write").Secret
	run := func(folder string, command ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "QUAYSIDE_URL="+flaky.URL, "QUAYSIDE_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}
	source := filepath.Join(dir, "source")
	if err := os.CopyFS(source, os.DirFS("../../client/typescript")); err != nil {
		t.Fatal(err)
	}
	run(source, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	run(source, "npm", "pack", "--pack-destination", dir)
	for name, text := range map[string]string{
		"package.json": `{"private": true, "type": "module"}`, "consumer.ts": consumer,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(dir, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "./quayside-client-0.0.0.tgz")
	run(dir, filepath.Join(source, "node_modules/.bin/tsc"), "--strict", "--target", "es2022", "--module", "nodenext",
		"--lib", "es2022,dom,dom.iterable", "consumer.ts")
	if got := run(dir, "node", "consumer.js"); strings.TrimSpace(got) != "TS-3 TS-2 TS-1\n404" {
		t.Errorf("got %s", got)
	}
}
