package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page offers the permission of a further service, escapes its text, and creates a token that has it. Not
// parallel: it restarts tokens-svc, which reads permissions at start.
func TestAPermissionOfAFurtherServiceIsGranted(t *testing.T) {
	o := found(t, "Cape Fresh Exports")
	const text = `Read <b>temperatures</b> & "humidity"`
	entry, err := json.Marshal(map[string]any{"name": "cold-chain_2:read", "text": text, "members": true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(stack.ServicesDir(), "further.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"permissions": [%s]}`, entry), 0o600); err != nil {
		t.Fatal(err)
	}
	restartTokens(t)
	t.Cleanup(func() {
		if err := os.Remove(file); err != nil {
			t.Error(err)
		}
		restartTokens(t)
	})

	b := enter(t, o)
	b.follow("#generate")
	b.fill("#name", "Sensors")
	b.click("label:has(#preset-custom)")
	b.sees(text)
	b.accessible()
	b.click(`label:has([id="permission-cold-chain_2:read"])`)
	b.follow("#submit")
	token := b.shownToken()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.URL+"/api/v1/token", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if want := `"effective_permissions":["cold-chain_2:read"]`; err != nil || !strings.Contains(string(answer), want) {
		t.Errorf("the token is %s, %v, want %s", answer, err, want)
	}
	b.follow("#done")
	b.sees("cold-chain_2:read")
}

func restartTokens(t *testing.T) {
	t.Helper()
	tokens := stack.Program("tokens-svc")
	if err := tokens.Stop(); err != nil {
		t.Error(err)
	}
	if err := tokens.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}
