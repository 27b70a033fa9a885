package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Permissions are needed by whatever reads or grants permissions.
func Permissions(c Config) error {
	_, err := c.Catalogue()
	return err
}

// Catalogue returns the built-in permissions and those of SERVICE_PERMISSIONS. A
// pattern that matches no file is no error: then there is no further service.
func (c Config) Catalogue() (*tokens.Catalogue, error) {
	paths, err := filepath.Glob(c.ServicePermissions)
	if err == nil && len(paths) == 0 && c.ServicePermissions != "" && !strings.ContainsAny(c.ServicePermissions, "*?[") {
		err = fmt.Errorf("there is no file %s", c.ServicePermissions)
	}
	errs := []error{err}
	var files []tokens.PermissionFile
	for _, path := range paths {
		content, err := os.ReadFile(path) //nolint:gosec // G304: the operator's choice
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, tokens.PermissionFile{Name: path, Content: content})
	}
	catalogue, err := tokens.NewCatalogue(files...)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, fmt.Errorf("SERVICE_PERMISSIONS: %w", err)
	}
	return catalogue, nil
}
