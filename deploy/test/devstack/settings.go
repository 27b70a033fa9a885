package devstack

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// setting matches a placeholder of the environment in the gateway's Caddyfile and its routes, which are the one list of
// its settings.
var setting = regexp.MustCompile(`\{\$(\w+)|\{env\.(\w+)\}`)

// passThrough returns the settings of the gateway under root that lookup has, as NAME=value, except for the addresses
// and secrets that the stack decides.
func passThrough(root string, lookup func(string) (string, bool), decided []string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "gateway", "routes", "*.caddy"))
	if err != nil {
		return nil, err
	}
	var caddyfile []byte
	for _, path := range append(files, filepath.Join(root, "gateway", "Caddyfile")) {
		part, err := os.ReadFile(path) //nolint:gosec // G304: our own files
		if err != nil {
			return nil, fmt.Errorf("the gateway's settings: %w", err)
		}
		caddyfile = append(caddyfile, part...)
	}
	var env []string
	for _, match := range setting.FindAllStringSubmatch(string(caddyfile), -1) {
		name := match[1] + match[2]
		if decides(decided, name) {
			continue
		}
		if value, ok := lookup(name); ok && !slices.Contains(env, name+"="+value) {
			env = append(env, name+"="+value)
		}
	}
	return env, nil
}

// decides reports whether an environment sets a variable or its _FILE variant.
func decides(env []string, name string) bool {
	base := strings.TrimSuffix(name, "_FILE")
	return slices.ContainsFunc(env, func(entry string) bool {
		set, _, _ := strings.Cut(entry, "=")
		return strings.TrimSuffix(set, "_FILE") == base
	})
}
