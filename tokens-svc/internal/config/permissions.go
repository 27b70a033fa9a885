package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxFile is the size of a file of permissions in bytes: much more than one that
// defines as many as there may be.
const maxFile = 1 << 20

// Permissions are needed by whatever reads or grants permissions: the built-in
// ones and those of SERVICE_PERMISSIONS. A pattern that matches no file is no
// error: then there is no further service.
func Permissions(c *Config) error {
	paths, err := filepath.Glob(c.ServicePermissions)
	if err == nil && len(paths) == 0 && c.ServicePermissions != "" && !strings.ContainsAny(c.ServicePermissions, "*?[") {
		err = fmt.Errorf("there is no file %s", c.ServicePermissions)
	}
	errs := []error{err}
	var further []tokens.Definition
	for _, path := range paths {
		defined, faults := readPermissions(path)
		for _, fault := range faults {
			errs = append(errs, fmt.Errorf("%s: %s", path, fault))
		}
		further = append(further, defined...)
	}
	c.Catalogue, err = tokens.NewCatalogue(further...)
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("SERVICE_PERMISSIONS: %w", err)
	}
	return nil
}

// readPermissions reads a file strictly.
func readPermissions(path string) (defined []tokens.Definition, faults []string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, []string{err.Error()}
	case !info.Mode().IsRegular():
		return nil, []string{"is not a regular file; name files, or a pattern that only files match"}
	case info.Size() > maxFile:
		return nil, []string{fmt.Sprintf("has %d bytes; the limit is %d", info.Size(), maxFile)}
	}
	content, err := os.ReadFile(path) //nolint:gosec // G304: the operator's choice
	if err != nil {
		return nil, []string{err.Error()}
	}
	body, err := jsonbody.Parse(content, jsonbody.Limits{Elements: 1_000, Scalar: 4 << 10})
	if bad, ok := errors.AsType[*jsonbody.SyntaxError](err); ok {
		return nil, []string{fmt.Sprintf("line %d: %s; correct the JSON",
			1+bytes.Count(content[:max(bad.Offset-1, 0)], []byte("\n")), ofFile(bad.Reason))}
	}
	if err != nil {
		return nil, []string{ofFile(err.Error())}
	}
	file := body.Object()
	if file.Has("presets") {
		file.Wrong(jsonbody.InvalidValue, "presets", "presets are built in; remove them")
	}
	for _, o := range file.Objects("permissions") {
		d := tokens.Definition{
			File: path, Name: tokens.Permission(o.Text("name")),
			Text: o.Text("text"), Members: o.Bool("members"),
		}
		for _, p := range o.Texts("includes") {
			d.Includes = append(d.Includes, tokens.Permission(p))
		}
		defined = append(defined, d)
	}
	for _, fault := range body.Faults() {
		faults = append(faults, strings.TrimPrefix(fault.Pointer+": "+ofFile(fault.Detail), ": "))
	}
	switch {
	case len(faults) > 0:
		return nil, faults
	case len(defined) == 0:
		return nil, []string{"has no permissions; list at least one, or remove the file"}
	}
	return defined, nil
}

// ofFile makes what jsonbody says of the body of a request a text about a file.
func ofFile(text string) string { return strings.ReplaceAll(text, "the body", "the file") }
