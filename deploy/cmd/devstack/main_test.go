package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestWrongUseNamesTheCommands(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"start"}, {"run", "x"}, {"exec"}, {"exec", "true"}, {"exec", "--"}} {
		err := run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard)
		if err == nil || err.Error() != usage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestAPortThatIsNoNumberIsRefusedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	for _, port := range []string{"http", "0", "65536", "-1"} {
		var out bytes.Buffer
		err := run(t.Context(), []string{"run"}, func(name string) string {
			return map[string]string{"QUAYSIDE_PORT": port}[name]
		}, &out, &out)
		if err == nil || !strings.Contains(err.Error(), "QUAYSIDE_PORT="+port) || out.Len() > 0 {
			t.Errorf("%s: %v, output %q", port, err, &out)
		}
	}
}

func TestOnlyExecsCommandGivesItsStatus(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"exec", "--", "sh", "-c", "exit 5"}, func(string) string { return "" }, io.Discard, io.Discard)
	if status, ok := errors.AsType[commandError](err); !ok || status.ExitCode() != 5 {
		t.Errorf("got %v", err)
	}
	if err := commandFailed(errors.New("no postgres")); err == nil || err.Error() != "no postgres" {
		t.Errorf("got %v", err)
	}
}
