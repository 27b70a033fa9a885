package environment

import (
	"os"
	"testing"
)

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
