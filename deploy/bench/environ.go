package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// environOf returns the environment of the running process whose program is
// binary. It is how the gateways that are measured get all that the stack's
// own gateway was given, whatever that may be.
func environOf(binary string) ([]string, error) {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if path, err := os.Readlink(link); err != nil || path != binary {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(link), "environ"))
		return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00"), err
	}
	return nil, fmt.Errorf("%s does not run", binary)
}

// with returns env with variables, "NAME=value", set anew.
func with(env []string, variables ...string) []string {
	env = slices.Clone(env)
	for _, variable := range variables {
		name, _, _ := strings.Cut(variable, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	return append(env, variables...)
}
