package contract

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// page is the content of the gateway's page of a problem code.
type page struct {
	Code, Title string
	Status      float64
}

func problemPages(t *testing.T) []page {
	t.Helper()
	var pages []page
	if err := json.Unmarshal(read(t, "gateway/apidocs/problems.json"), &pages); err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestExamplesOfProblemsHaveTheTitlesOfTheirPages, in the API documents of both services.
func TestExamplesOfProblemsHaveTheTitlesOfTheirPages(t *testing.T) {
	t.Parallel()
	pages := problemPages(t)
	for _, path := range []string{"shipments-svc/api/openapi.yaml", "tokens-svc/api/openapi.yaml"} {
		document, err := openapi3.NewLoader().LoadFromData(read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		for name, response := range document.Components.Responses {
			content := response.Value.Content["application/problem+json"]
			if content == nil {
				continue
			}
			example, _ := content.Example.(map[string]any)
			for _, page := range pages {
				if page.Code == example["code"] && page.Title != example["title"] {
					t.Errorf("%s: %s: the example of %s has the title %q, its page %q", path, name, page.Code, example["title"],
						page.Title)
				}
			}
		}
	}
}

// TestEveryProblemHasItsPage: the type of every problem of the gateway and of shipments-svc, and of those that a client
// can meet of tokens-svc, leads to a page with the same title.
func TestEveryProblemHasItsPage(t *testing.T) {
	t.Parallel()
	pages := problemPages(t)
	codes := []string{"missing_identity", "unavailable", "internal_error"}
	for source, declared := range map[string]*regexp.Regexp{
		"gateway/tokengate/problem.go":                         regexp.MustCompile(`Code: +"([a-z_]+)", +Title: +"([^"]+)"`),
		"tokens-svc/internal/httpapi/transport/errors.go":      regexp.MustCompile(`http\.Status\w+, "([a-z_]+)", "([^"]+)"`),
		"shipments-svc/internal/httpapi/transport/problems.go": regexp.MustCompile(`http\.Status\w+, "([a-z_]+)", "([^"]+)"`),
	} {
		found := declared.FindAllSubmatch(read(t, source), -1)
		if len(found) < 10 {
			t.Fatalf("only %d codes in %s", len(found), source)
		}
		for _, match := range found {
			if !strings.HasPrefix(source, "tokens-svc/") { // it has codes for gateways, too
				codes = append(codes, string(match[1]))
			}
			for _, page := range pages {
				if page.Code == string(match[1]) && page.Title != string(match[2]) {
					t.Errorf("%s: %s has the title %q, its page %q", page.Code, source, match[2], page.Title)
				}
			}
		}
	}
	for _, code := range codes {
		if !slices.ContainsFunc(pages, func(page page) bool { return page.Code == code }) {
			t.Errorf("/problems/%s does not exist", code)
		}
	}
}

// TestEveryCodeInTheOpenAPIDocumentHasItsPage: descriptions and examples name codes that exist, with their status.
func TestEveryCodeInTheOpenAPIDocumentHasItsPage(t *testing.T) {
	t.Parallel()
	pages := problemPages(t)
	document, err := openapi3.NewLoader().LoadFromData(read(t, "shipments-svc/api/openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")
	for name, response := range document.Components.Responses {
		example, ok := response.Value.Content["application/problem+json"].Example.(map[string]any)
		if !ok {
			t.Fatalf("%s has no example", name)
		}
		codes := []string{example["code"].(string)}
		for _, match := range named.FindAllStringSubmatch(*response.Value.Description, -1) {
			codes = append(codes, match[1])
		}
		for _, code := range codes {
			if !slices.ContainsFunc(pages, func(page page) bool {
				return page.Code == code &&
					page.Status == example["status"]
			}) {
				t.Errorf("%s: %s has no page with status %v", name, code, example["status"])
			}
		}
	}
}
