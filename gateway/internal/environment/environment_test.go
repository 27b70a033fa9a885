package environment

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each setting that is part of the Caddyfile's text is refused by its name if it has characters of the Caddyfile's
// syntax.
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
				if err := Prepare(); err == nil || !strings.HasPrefix(err.Error(), name+" must not contain") {
					t.Errorf("%q: %v", value, err)
				}
			}
		})
	}
}

// A setting that is empty has its default.
func TestEmptySettingsAreNotSet(t *testing.T) {
	for _, name := range names {
		t.Setenv(name, "")
	}
	if err := Prepare(); err != nil {
		t.Error(err)
	}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s is set to %q", name, value)
		}
	}
}
