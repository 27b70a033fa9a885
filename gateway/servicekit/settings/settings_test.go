package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type sample struct {
	Port   int    `env:"PORT" envDefault:"80" doc:"Where."`
	Name   string `env:"NAME,required" doc:"Who."`
	Secret string `env:"SECRET" secret:"true" doc:"What."`
}

func TestLoadReadsEnvironmentAndFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(" first\nsecond \n\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load[sample]([]string{"NAME=a=b", "SECRET_FILE=" + path, "UNRELATED=x", "malformed"})
	if want := (sample{80, "a=b", " first\nsecond "}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestLoadReportsEverythingAndRepeatsNoSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		environ []string
		want    []string
	}{
		"missing and malformed": {[]string{"PORT=http"}, []string{"Port", `"NAME"`}},
		"set twice":             {[]string{"NAME=x", "SECRET=s3cret", "SECRET_FILE=/s3cret"}, []string{"SECRET and SECRET_FILE are both set"}},
		"file is missing":       {[]string{"PORT=x", "NAME=x", "SECRET_FILE=/nowhere"}, []string{"SECRET_FILE: open /nowhere", "Port"}},
		"file has no end":       {[]string{"NAME=x", "SECRET_FILE=/dev/zero"}, []string{"SECRET_FILE: /dev/zero has more than 65536 bytes"}},
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

func TestOnlySecretsComeFromFiles(t *testing.T) {
	t.Parallel()
	got, err := Load[sample]([]string{"NAME=x", "PORT_FILE=/nowhere", "NAME_FILE=/nowhere"})
	if err != nil || got.Port != 80 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTableShowsEachVariable(t *testing.T) {
	t.Parallel()
	const want = "| variable | default | meaning |\n|---|---|---|\n" +
		"| `PORT` | `80` | Where. |\n" +
		"| `NAME` | required | Who. |\n" +
		"| `SECRET` |  | What. Secret; also `SECRET_FILE`. |\n"
	if got := Table[sample](); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
