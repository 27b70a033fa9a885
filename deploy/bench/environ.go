package main

import (
	"slices"
	"strings"
)

// with returns env with variables, "NAME=value", set anew.
func with(env []string, variables ...string) []string {
	env = slices.Clone(env)
	for _, variable := range variables {
		name, _, _ := strings.Cut(variable, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	return append(env, variables...)
}
