package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/caarlos0/env/v11"
)

// explain returns the error of a value of T that could not be parsed with its
// variable in place of its field, and with the values that are allowed.
func explain[T any](err error, vars map[string]string) error {
	parse, ok := errors.AsType[env.ParseError](err)
	if !ok {
		return err
	}
	field, _ := reflect.TypeFor[T]().FieldByName(parse.Name)
	name := field.Tag.Get("env")
	if field.Tag.Get("secret") == "true" {
		return fmt.Errorf("%s must be %s", name, allowed(field.Type))
	}
	return fmt.Errorf("%s is %q; it must be %s", name, vars[name], allowed(field.Type))
}

// allowed describes the values of a type.
func allowed(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[slog.Level]():
		return "debug, info, warn or error"
	case t == reflect.TypeFor[time.Duration]():
		return "a duration such as 30s"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.ConvertibleTo(reflect.TypeFor[int32]()):
		return "a whole number, at most 2147483647"
	}
	return "of type " + t.String()
}

// Missing returns the error of a variable that must be set, with a hint such as
// "it looks like host:port". It is nil if NAME_FILE is set: Load has then
// returned why the file has no value.
func Missing(environ []string, name, hint string) error {
	if env.ToMap(environ)[name+"_FILE"] != "" {
		return nil
	}
	return fmt.Errorf("%s is not set; %s", name, hint)
}
