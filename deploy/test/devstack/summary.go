package devstack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Test runs go test with the servers of Exec. It prints what go test prints, and at the end the skipped tests with
// their reasons.
func Test(ctx context.Context, stdout, log io.Writer, args ...string) error {
	events, lines := io.Pipe()
	read := make(chan error, 1)
	go func() {
		err := summarize(stdout, events)
		_, _ = io.Copy(io.Discard, events) // after an error
		read <- err
	}()
	err := Exec(ctx, lines, log, append([]string{"go", "test", "-json"}, args...)...)
	return errors.Join(lines.Close(), <-read, err)
}

// event is a line of go test -json: see go doc test2json.
type event struct{ Action, Package, Test, Output string }

// summarize prints the results of packages, the output of failed tests and, at the end, each skipped test.
func summarize(stdout io.Writer, events io.Reader) error {
	var skipped []string
	output := map[string][]string{} // of tests under way
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil { // not of a test
			_, _ = fmt.Fprintln(stdout, lines.Text())
			continue
		}
		name := strings.TrimPrefix(e.Package, "github.com/quayside/quayside/") + " " + e.Test
		switch {
		case e.Action == "build-output", e.Test == "" && result.MatchString(e.Output):
			_, _ = io.WriteString(stdout, e.Output)
		case e.Action == "output" && !strings.HasPrefix(e.Output, "=== "): // without the start of each test
			output[name] = append(output[name], e.Output)
		case e.Action == "fail" && e.Test == "": // with what its tests printed that did not end
			for _, test := range slices.Sorted(maps.Keys(output)) {
				if strings.HasPrefix(test, name) {
					_, _ = io.WriteString(stdout, strings.Join(output[test], ""))
					delete(output, test)
				}
			}
		case e.Action == "fail":
			_, _ = io.WriteString(stdout, strings.Join(output[name], ""))
		case e.Action == "skip" && e.Test != "":
			skipped = append(skipped, name+": "+append(reason.FindStringSubmatch(strings.Join(output[name], "")), "", "")[1])
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(output, name)
		}
	}
	slices.Sort(skipped)
	_, _ = fmt.Fprintf(stdout, "%d tests were skipped\n", len(skipped))
	for _, test := range skipped {
		_, _ = fmt.Fprintln(stdout, "  "+test)
	}
	return lines.Err()
}

var (
	result = regexp.MustCompile(`^(ok  |FAIL)\t`)      // of a package with tests
	reason = regexp.MustCompile(`_test\.go:\d+: (.*)`) // the argument of t.Skip
)
