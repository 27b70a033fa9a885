package environment

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each setting that is part of the Caddyfile's text is refused by its name if it has characters of the Caddyfile's syntax.
func TestSettingsCannotHaveTheSyntaxOfTheCaddyfile(t *testing.T) {
	names := map[string]bool{}
	for _, file := range []string{"../../Caddyfile", "../../routes/shipments.caddy", "../../routes/tokens.caddy"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`\{\$(\w+)`).FindAllSubmatch(text, -1) {
			names[string(match[1])] = true
		}
	}
	if len(names) < 20 {
		t.Errorf("the Caddyfile has %d settings", len(names))
	}
	for name := range names {
		t.Run(name, func(t *testing.T) {
			for _, value := range []string{`"`, "`", "{", "}", `\`, "a\nb", "a\rb", "#", "a #b", "a\t#b", "<<", "a <<b"} {
				t.Setenv(name, value)
				if err := CheckText(); err == nil || !strings.HasPrefix(err.Error(), name+" must not contain") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%q: %v", value, err)
				}
			}
			for _, value := range []string{"", "/a#b/*.caddy /c", "a@b.example"} {
				t.Setenv(name, value)
				if err := CheckText(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
