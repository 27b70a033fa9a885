package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// errHelp says that a command explained itself and did nothing else.
var errHelp = errors.New("help was asked for")

// usageError is a command line that cannot be carried out.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// flags are the parameters of a command: flags, in either of their spellings, and
// operands, which may stand before, between and behind them.
type flags struct {
	*flag.FlagSet
	operands []string // their names, in order
	about    string
}

func newFlags(command, about string, operands ...string) flags {
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	set.SetOutput(io.Discard) // errors are returned, and help goes to the writer of parse
	return flags{FlagSet: set, operands: operands, about: about}
}

// parse reads args and returns the operands' values. Asked for help it explains
// the command on out and returns errHelp.
func (f flags) parse(args []string, out io.Writer) ([]string, error) {
	var values []string
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			f.explain(out)
			return nil, errHelp
		}
		if err != nil {
			return nil, f.usagef("%v", err)
		}
		if f.NArg() == 0 {
			break
		}
		values = append(values, f.Arg(0))
		args = f.Args()[1:]
	}
	switch {
	case len(values) < len(f.operands):
		return nil, f.usagef("%s is missing", f.operands[len(values)])
	case len(values) > len(f.operands):
		return nil, f.usagef("unexpected argument %q", values[len(f.operands)])
	}
	return values, nil
}

// require refuses a command line that leaves one of these flags empty.
func (f flags) require(names ...string) error {
	for _, name := range names {
		if f.Lookup(name).Value.String() == "" {
			return f.usagef("--%s is missing", name)
		}
	}
	return nil
}

func (f flags) usagef(format string, args ...any) error {
	return usagef("%s: %s\nusage: %s\n(tokens-svc %s -h explains each flag)",
		f.Name(), fmt.Sprintf(format, args...), f.synopsis(), f.Name())
}

func (f flags) synopsis() string {
	return strings.Join(append([]string{"tokens-svc", f.Name()}, append(f.operands, "[flags]")...), " ")
}

func (f flags) explain(out io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", f.synopsis(), f.about)
	f.VisitAll(func(fl *flag.Flag) {
		kind, usage := flag.UnquoteUsage(fl)
		fmt.Fprintf(&b, "\n  %s\n        %s\n", strings.TrimSpace("--"+fl.Name+" "+kind), usage)
	})
	_, _ = io.WriteString(out, b.String())
}
