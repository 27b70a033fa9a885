package settings

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type sample struct {
	Port   int    `env:"PORT" envDefault:"80" doc:"Where."`
	Name   string `env:"NAME" doc:"Who."`
	Secret string `env:"SECRET" secret:"true" doc:"What."`

	On    bool          `env:"ON" doc:"Whether."`
	Level slog.Level    `env:"LEVEL" envDefault:"info" doc:"How much."`
	Wait  time.Duration `env:"WAIT" doc:"How long."`
	Key   int           `env:"KEY" secret:"true" doc:"Which."`
}

func TestLoadReadsEnvironmentAndFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(" first\nsecond \n\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load[sample]([]string{"NAME=a=b", "SECRET_FILE=" + path, "UNRELATED=x", "malformed"})
	if want := (sample{Port: 80, Name: "a=b", Secret: " first\nsecond "}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestLoadReportsEverythingAndRepeatsNoSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environ []string
		want    []string
	}{
		"malformed": {
			[]string{"PORT=1.5", "ON=yes", "LEVEL=loud", "WAIT=3", "KEY=s3cret"},
			[]string{
				`PORT is "1.5"; it must be a whole number`, `ON is "yes"; it must be true or false`,
				`LEVEL is "loud"; it must be debug, info, warn or error`, `WAIT is "3"; it must be a duration such as 30s`,
				"KEY must be a whole number",
			},
		},
		"out of range": {
			[]string{"PORT=2147483648"},
			[]string{`PORT is "2147483648"; it must be a whole number, at most 2147483647`},
		},
		"set twice": {
			[]string{"NAME=x", "SECRET=s3cret", "SECRET_FILE=/s3cret"},
			[]string{"SECRET and SECRET_FILE are both set"},
		},
		"file is missing": {
			[]string{"PORT=x", "NAME=x", "SECRET_FILE=/nowhere"},
			[]string{"SECRET_FILE: open /nowhere", `PORT is "x"`},
		},
		"file is empty": {[]string{"SECRET_FILE=/dev/null"}, []string{"SECRET_FILE: /dev/null is empty"}},
		"file has no end": {
			[]string{"NAME=x", "SECRET_FILE=/dev/zero"},
			[]string{"SECRET_FILE: /dev/zero has more than 65536 bytes"},
		},
	} {
		_, err := Load[sample](c.environ)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is missing from: %v", name, want, err)
			}
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the secret is in: %v", name, err)
		}
	}
}

func TestAMissingVariableIsReportedOnce(t *testing.T) {
	t.Parallel()
	if err := Missing([]string{"OTHER=x"}, "SECRET", "make one"); err == nil ||
		err.Error() != "SECRET is not set; make one" {
		t.Errorf("%v", err)
	}
	if err := Missing([]string{"SECRET_FILE=/dev/null"}, "SECRET", "make one"); err != nil {
		t.Errorf("%v, which Load has reported", err)
	}
}

func TestOnlySecretsComeFromFiles(t *testing.T) {
	t.Parallel()
	got, err := Load[sample]([]string{"NAME=x", "PORT_FILE=/nowhere", "NAME_FILE=/nowhere"})
	if err != nil || got.Port != 80 {
		t.Errorf("%+v, %v", got, err)
	}
}
