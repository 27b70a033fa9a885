// Package settings reads a program's settings from the environment into a struct.
//
// A field's tags are env and envDefault, after caarlos0/env, and for a setting
// that may also come from a file file:"true" or secret:"true". Its comment, or
// the tag doc, is its meaning in the reference.
package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// maxFile is the most bytes of a file that holds a setting.
const maxFile = 64 << 10

// Load fills a T from the environment, a list of NAME=value. A field tagged
// secret:"true" or file:"true" may also be given as NAME_FILE, the path of a
// file whose content, without trailing line breaks, is the value. The error
// joins all problems, each with its variable, and repeats no secret.
func Load[T any](environ []string) (T, error) {
	var cfg T
	vars := env.ToMap(environ)
	var errs []error
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.Tag.Get("secret") == "true" || field.Tag.Get("file") == "true" {
			errs = append(errs, readFile(vars, field.Tag.Get("env")))
		}
	}
	err := env.ParseWithOptions(&cfg, env.Options{Environment: vars})
	if all := (env.AggregateError{}); errors.As(err, &all) {
		for _, one := range all.Errors {
			errs = append(errs, explain[T](one, vars))
		}
	}
	return cfg, errors.Join(errs...)
}

func readFile(vars map[string]string, name string) error {
	path := vars[name+"_FILE"]
	if path == "" {
		return nil
	}
	if vars[name] != "" {
		return fmt.Errorf("%s and %s_FILE are both set; set one", name, name)
	}
	file, err := os.Open(path) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return fmt.Errorf("%s_FILE: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return fmt.Errorf("%s_FILE: %w", name, err)
	}
	if len(content) > maxFile {
		return fmt.Errorf("%s_FILE: %s has more than %d bytes", name, path, maxFile)
	}
	if vars[name] = strings.TrimRight(string(content), "\r\n"); vars[name] == "" {
		return fmt.Errorf("%s_FILE: %s is empty", name, path)
	}
	return nil
}
