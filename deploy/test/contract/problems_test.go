package contract

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
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

// TestEveryProblemHasItsPage: the type of every problem of the gateway and of shipments-svc, and of those that a client
// can meet of tokens-svc, leads to a page with the same title.
func TestEveryProblemHasItsPage(t *testing.T) {
	t.Parallel()
	pages := problemPages(t)
	codes := []string{"missing_identity", "unavailable", "internal_error"}
	const transport = "internal/httpapi/transport/problems.go"
	for source, declared := range map[string]*regexp.Regexp{
		"gateway/tokengate/answer.go": regexp.MustCompile(`problem\.New\([^,]+, "([a-z_]+)",\s+"([^"]+)"`),
		"tokens-svc/" + transport:     regexp.MustCompile(`http\.Status\w+, "([a-z_]+)", "([^"]+)"`),
		"shipments-svc/" + transport:  regexp.MustCompile(`http\.Status\w+,\s+"([a-z_]+)"()`),
	} {
		found := declared.FindAllSubmatch(read(t, source), -1)
		if len(found) < 10 {
			t.Fatalf("only %d codes in %s", len(found), source)
		}
		for _, match := range found {
			if !strings.HasPrefix(source, "tokens-svc/") { // it has codes for gateways, too
				codes = append(codes, string(match[1]))
			}
			title := string(match[2])
			if title == "" { // shipments-svc writes the code in words
				title = strings.ReplaceAll(string(match[1]), "_", " ")
			}
			for _, page := range pages {
				if page.Code == string(match[1]) && !strings.EqualFold(page.Title, title) {
					t.Errorf("%s: %s has the title %q, its page %q", page.Code, source, title, page.Title)
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
