package promises

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestTheReportNamesBrokenPromises(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kept bool
		err  error
		end  string
	}{
		"kept":   {true, nil, "2 promises evaluated in 0s, 0 broken\n"},
		"broken": {false, ErrBroken, "2 promises evaluated in 0s, 1 broken\n  BROKEN  100 % of Redis: answers (3 of 4)\nThe programs' logs are in /log\n"},
	} {
		var text strings.Builder
		r := NewReport(&text)
		r.Begin("100 % of Redis", ", %d s", 3)
		r.Add("stays", true, "always")
		r.Add("answers", c.kept, "3 of 4")
		if err := r.Close("/log"); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if got := text.String(); !strings.HasPrefix(got, "\n100 % of Redis, 3 s\n  kept    stays  ") || !strings.HasSuffix(got, "\n\n"+c.end) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestWhatIsRunIsSelectedByAnExpression(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]bool{"": true, "^Redis": true, "Postgres": false} {
		var args []string
		if expression != "" {
			args = []string{expression}
		}
		err := runMain(t.Context(), "test", args, func(_ context.Context, _ string, only *regexp.Regexp) error {
			if only.MatchString("Redis") != want {
				t.Errorf("%q selects otherwise", expression)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, args := range [][]string{{"("}, {"a", "b"}} {
		if err := runMain(t.Context(), "test", args, nil); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
