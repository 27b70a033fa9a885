package apidocs

import (
	"cmp"
	"encoding/xml"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func get(path string) (*httptest.ResponseRecorder, error) {
	w := httptest.NewRecorder()
	return w, serve(w, httptest.NewRequest(http.MethodGet, path, nil))
}

var (
	reference = regexp.MustCompile(`(?:src|href|action)="([^"]*)"`)
	anchor    = regexp.MustCompile(` id="([^"]*)"`)
)

// notHere are paths of the services.
var notHere = regexp.MustCompile(`^/(shipments|api/.*)$`)

// TestAllPagesAreReachedAndEveryLinkLeadsSomewhere follows all links from the first page.
func TestAllPagesAreReachedAndEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	bodies, fragments := map[string]string{}, map[string]string{}
	for todo := []string{"/", "/docs/search?q=webhook"}; len(todo) > 0; todo = todo[1:] {
		path := todo[0]
		if _, done := bodies[path]; done {
			continue
		}
		w, err := get(path)
		if err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: %v", path, err)
		}
		bodies[path] = w.Body.String()
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		if n := w.Body.Len(); n > 100_000 || strings.Count(bodies[path], "<h1") != 1 {
			t.Errorf("%s has %d bytes and %d headings", path, n, strings.Count(bodies[path], "<h1"))
		}
		p := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(p, "default-src 'none'; style-src 'self';") {
			t.Errorf("%s has the policy %s", path, p)
		}
		for _, found := range reference.FindAllStringSubmatch(bodies[path], -1) {
			to, err := url.Parse(found[1])
			switch {
			case err != nil:
				t.Errorf("%s leads to %s", path, found[1])
			case to.Host != "" || notHere.MatchString(to.Path):
			default:
				here := cmp.Or(to.Path, path)
				todo = append(todo, here)
				if to.Fragment != "" {
					fragments[here+"#"+to.Fragment] = path
				}
			}
		}
	}
	if len(bodies) < 150 {
		t.Errorf("%d pages were reached", len(bodies))
	}
	for to, from := range fragments {
		path, fragment, _ := strings.Cut(to, "#")
		if !strings.Contains(bodies[path], ` id="`+fragment+`"`) {
			t.Errorf("%s leads to %s, where there are %v", from, to, anchor.FindAllString(bodies[path], -1))
		}
	}
	for _, p := range mustReadProblems(t) {
		if _, reached := bodies["/problems/"+p.Code]; !reached {
			t.Errorf("nothing leads to %s", p.Code)
		}
	}
}

func TestTheSearchFindsGuidesAndReferenceApart(t *testing.T) {
	t.Parallel()
	first := regexp.MustCompile(`(?s)<h2>(Guides|Reference)</h2>\s*<ol class="found">\s*<li><a href="([^"]*)"`)
	for query, want := range map[string][]string{
		"Signature check":        {"/docs/webhooks#check-the-signature", "/docs/reference/shipments/createWebhookEndpoint"},
		"approve shipment":       {"/docs/first-request", "/docs/reference/shipments/approveShipment"},
		"pagination":             {"/docs/paging", "/docs/reference/shipments/showPage"},
		"How to upload a file":   {"/docs/documents", "/docs/reference/shipments/attachDocument"},
		"sandbox":                {"/docs/authentication#test-data", "/docs/reference#shipments"},
		"idempotency_key_reused": {"/problems/idempotency_key_reused"},
		"box_weight_kg":          {"/docs/reference/shipments/listPallets#status-200"},
		// What a request costs does not grow with its words.
		strings.Repeat("Signature check ", 5) + "no_such_word": {
			"/docs/webhooks#check-the-signature", "/docs/reference/shipments/createWebhookEndpoint",
		},
		"<script>nothing": nil,
		"the":             nil,
		"":                nil,
	} {
		w, err := get("/docs/search?q=" + url.QueryEscape(query))
		var found []string
		for _, one := range first.FindAllStringSubmatch(w.Body.String(), -1) {
			found = append(found, one[2])
		}
		if err != nil || !slices.Equal(found, want) || strings.Contains(w.Body.String(), "<script>nothing") {
			t.Errorf("%s: %v, %v, want %v", query, err, found, want)
		}
	}
}

func TestTheChangelogIsAFeed(t *testing.T) {
	t.Parallel()
	w, err := get("/docs/changes.atom")
	var feed struct {
		Entries []struct {
			Updated time.Time `xml:"updated"`
			Content string    `xml:"content"`
		} `xml:"entry"`
	}
	if err != nil || xml.Unmarshal(w.Body.Bytes(), &feed) != nil || len(feed.Entries) < 2 ||
		!strings.Contains(feed.Entries[0].Content, `href="/docs/reference/`) {
		t.Errorf("%v: %s", err, w.Body)
	}
}

func TestOtherPathsAreNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/docs/", "/docs/other", "/problems/", "/problems/no_such_code", "/problems/not_found/x",
	} {
		_, err := get(path)
		var known caddyhttp.HandlerError
		if !errors.As(err, &known) || known.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestProblemsAreCompleteOrderedAndUnique(t *testing.T) {
	t.Parallel()
	all := mustReadProblems(t)
	for i, e := range all {
		if e.Code == "" || e.Title == "" || e.Meaning == "" || e.Remedy == "" ||
			e.StatusText() == "" || e.Status < 400 {
			t.Errorf("%+v", e)
		}
		if i > 0 && cmp.Or(cmp.Compare(all[i-1].Status, e.Status), cmp.Compare(all[i-1].Code, e.Code)) >= 0 {
			t.Errorf("%s stands after %s", e.Code, all[i-1].Code)
		}
	}
}

func mustReadProblems(t *testing.T) []explanation {
	t.Helper()
	all, err := readProblems()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
