package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
		defined, err := readPermissions(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
		further = append(further, defined...)
	}
	c.Catalogue, err = tokens.NewCatalogue(further...)
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("SERVICE_PERMISSIONS: %w", err)
	}
	return nil
}

// readPermissions reads a file strictly: a member that is unknown or given twice is an error.
func readPermissions(path string) ([]tokens.Definition, error) {
	content, err := os.ReadFile(path) //nolint:gosec // G304: the operator's choice
	if err != nil {
		return nil, err
	}
	var file struct {
		Permissions []tokens.Definition `json:"permissions"`
	}
	if err := json.Unmarshal(content, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if len(file.Permissions) == 0 {
		return nil, errors.New("has no permissions; list at least one, or remove the file")
	}
	for i := range file.Permissions {
		file.Permissions[i].File = path
	}
	return file.Permissions, nil
}
