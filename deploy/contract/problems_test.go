package contract

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

// TestEveryProblemOfTheGatewayHasItsPage: the pages belong to shipments-svc,
// whose own tests see to its codes; the gateway's and those that a client can
// meet of tokens-svc must be among them too.
func TestEveryProblemOfTheGatewayHasItsPage(t *testing.T) {
	t.Parallel()
	var pages []struct{ Code, Title string }
	if err := json.Unmarshal(read(t, "shipments-svc/internal/problemdocs/problems.json"), &pages); err != nil {
		t.Fatal(err)
	}
	codes := []string{"missing_identity", "unavailable", "internal_error"}
	declared := regexp.MustCompile(`Code: +"([a-z_]+)", +Title: +"([^"]+)"`)
	for _, match := range declared.FindAllSubmatch(read(t, "gateway/tokengate/problem.go"), -1) {
		codes = append(codes, string(match[1]))
		for _, page := range pages {
			if page.Code == string(match[1]) && page.Title != string(match[2]) {
				t.Errorf("%s: the gateway says %q, its page %q", page.Code, match[2], page.Title)
			}
		}
	}
	if len(codes) < 10 {
		t.Fatalf("found only %q in the gateway's source", codes)
	}
	for _, code := range codes {
		if !slices.ContainsFunc(pages, func(page struct{ Code, Title string }) bool { return page.Code == code }) {
			t.Errorf("/problems/%s does not exist", code)
		}
	}
}
