package audit_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// FuzzReadHeads: what is read is written the same way, and nothing that is no
// head passes for one.
func FuzzReadHeads(f *testing.F) {
	_, head := chain(3)
	good, err := json.Marshal(head)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(good), string(good) + "\n\n" + string(good), "", "{}", "null", `{"msg":"audit head",` + string(good)[1:],
		strings.Replace(string(good), ":3", ":0", 1), strings.ToUpper(string(good)), `{"organization":"org_1","sequence":1,"hash":"00"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		heads, err := audit.ReadHeads(strings.NewReader(text))
		if (err == nil) != (len(heads) > 0) {
			t.Fatalf("%d heads, %v", len(heads), err)
		}
		var again strings.Builder
		for _, h := range heads {
			if h.Sequence < 1 || !strings.HasPrefix(h.Organization, "org_") {
				t.Errorf("%+v is no head", h)
			}
			line, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(line, '\n'))
		}
		if len(heads) == 0 {
			return
		}
		if got, err := audit.ReadHeads(strings.NewReader(again.String())); err != nil || !slices.Equal(got, heads) {
			t.Errorf("%v, %v; want %v", got, err, heads)
		}
	})
}
