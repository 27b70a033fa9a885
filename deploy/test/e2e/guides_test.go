package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const guides = "../../../gateway/apidocs/guides/"

// fence is a block of code of a guide: its language, and its text.
var fence = regexp.MustCompile("(?ms)^```(sh|go|python|js)\n(.*?)^```")

// permission is a permission in a text.
var permission = regexp.MustCompile("`([a-z]+:[a-z]+)`")

// permissionsFor returns the permissions that a guide says its samples need.
func permissionsFor(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, sentence, _ := strings.Cut(string(text), "samples need a token with ")
	sentence, _, _ = strings.Cut(sentence, ".")
	var all []string
	for _, found := range permission.FindAllStringSubmatch(sentence, -1) {
		all = append(all, found[1])
	}
	return strings.Join(all, ",")
}

// The code of the guides runs unchanged and with the token that the guide describes, the blocks of the shell in one
// script. That of webhooks is in functions.
func TestTheCodeOfTheGuidesRuns(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(guides + "*.md")
	if err != nil || len(pages) < 9 {
		t.Fatal(len(pages), err)
	}
	for _, page := range pages {
		if filepath.Base(page) == "webhooks.md" {
			continue
		}
		for language, source := range codeOf(t, page) {
			t.Run(filepath.Base(page)+" "+language, func(t *testing.T) {
				t.Parallel()
				runCode(t, language, source, "QUAYSIDE_URL="+stack.URL, "QUAYSIDE_TOKEN="+fresh(t, permissionsFor(t, page)).Secret)
			})
		}
	}
}

// Each function of the guide accepts a genuine delivery, and no other.
func TestTheGuideChecksSignatures(t *testing.T) {
	t.Parallel()
	const (
		key, id, at, body = "0123456789abcdef", "evt_01k9x5c1d2e3f4g5h6j7k8m9np", "1795183432", `{"type":"webhook.test"}`
	)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(id + "." + at + "." + body))
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte(key))
	uses := map[string]string{
		"python": `
h = {"webhook-id": "ID", "webhook-timestamp": "AT", "webhook-signature": "v1,AAAA v1,SIGNATURE"}
assert genuine("SECRET", h, b'BODY') and not genuine("SECRET", h, b'BODY ')`,
		"js": `
const h = {"webhook-id": "ID", "webhook-timestamp": "AT", "webhook-signature": "v1,AAAA v1,SIGNATURE"};
if (!genuine("SECRET", h, 'BODY') || genuine("SECRET", h, 'BODY ')) process.exit(1);`,
		"go": `
func main() {
	h := http.Header{}
	h.Set("webhook-id", "ID")
	h.Set("webhook-timestamp", "AT")
	h.Set("webhook-signature", "v1,AAAA v1,SIGNATURE")
	if !genuine("SECRET", h, []byte("BODY")) || genuine("SECRET", h, []byte("BODY ")) {
		panic("not checked")
	}
}`,
	}
	fill := strings.NewReplacer("ID", id, "AT", at, "SIGNATURE", signature, "SECRET", secret, "'BODY", "'"+body,
		`"BODY"`, "`"+body+"`", `"BODY "`, "`"+body+" `")
	for language, source := range codeOf(t, guides+"webhooks.md") {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if language == "sh" {
				out := runCode(t, language, "printf %s '"+body+"' > body.json\n"+source, "WEBHOOK_SECRET="+secret,
					"WEBHOOK_ID="+id, "WEBHOOK_TIMESTAMP="+at)
				if strings.TrimSpace(out) != signature {
					t.Errorf("got %s, want %s", out, signature)
				}
				return
			}
			source = strings.Replace(source, "package webhook", "package main", 1)
			runCode(t, language, source+fill.Replace(uses[language]))
		})
	}
}

// sample is a sample in a page of the reference, whose words are coloured by tags.
var (
	sample = regexp.MustCompile(`(?s)<div class="(sh|go|python|js)"><pre><code>(.*?)</code>`)
	tag    = regexp.MustCompile(`<[^>]*>`)
)

// TestTheSamplesOfTheReferenceRun runs those of a request without and of one with a body.
func TestTheSamplesOfTheReferenceRun(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]string{
		"listShipments": `"meta":`, "createShipment": `"reference":"PO-2026-0042"`,
	} {
		_, _, page := exchange(t, http.MethodGet, stack.URL+"/docs/reference/shipments/"+operation, "", "")
		samples := sample.FindAllStringSubmatch(page, -1)
		if len(samples) != 4 {
			t.Fatalf("%s has %d samples", operation, len(samples))
		}
		for _, found := range samples {
			language, code := found[1], html.UnescapeString(tag.ReplaceAllString(found[2], ""))
			t.Run(operation+" "+language, func(t *testing.T) {
				t.Parallel()
				out := runCode(t, language, code, "QUAYSIDE_URL="+stack.URL,
					"QUAYSIDE_TOKEN="+fresh(t, "shipments:write").Secret)
				if !strings.Contains(out, want) {
					t.Errorf("no %s in\n%s", want, out)
				}
			})
		}
	}
}

// codeOf returns the code of a guide by language.
func codeOf(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for _, block := range fence.FindAllSubmatch(text, -1) {
		code[string(block[1])] += string(block[2])
	}
	return code
}

// runCode runs a program in a directory of its own, and returns what it prints.
func runCode(t *testing.T, language, source string, environment ...string) string {
	t.Helper()
	how := map[string]struct {
		name    string
		command []string
	}{
		"sh": {"script.sh", []string{"sh", "-eu", "script.sh"}}, "go": {"main.go", []string{"go", "run", "main.go"}},
		"python": {"script.py", []string{"python3", "script.py"}}, "js": {"script.mjs", []string{"node", "script.mjs"}},
	}[language]
	if _, err := exec.LookPath(how.command[0]); err != nil && os.Getenv("CI") == "" {
		t.Skipf("no %s on PATH", how.command[0])
	}
	program := exec.CommandContext(t.Context(), how.command[0], how.command[1:]...)
	program.Dir = t.TempDir()
	program.Env = append(append(os.Environ(), "GOWORK=off"), environment...)
	if err := os.WriteFile(filepath.Join(program.Dir, how.name), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, source, out)
	}
	return string(out)
}
