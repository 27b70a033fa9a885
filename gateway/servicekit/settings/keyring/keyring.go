// Package keyring parses versioned keys from a program's settings, so that keys can
// be rotated while data made with older ones is in use.
//
// Guarantees: versions are unique; all errors are reported at once, by position;
// neither an error nor any way of printing shows a key.
package keyring

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Ring is a list of keys, the newest first.
type Ring []Key

// Key is a key and its version.
type Key struct {
	Version int // from 1 to 32767
	Text    []byte
}

// MinBytes is the least length of a key.
const MinBytes = 32

// Parse reads "version:base64,version:base64…", the newest first.
func Parse(text string) (Ring, error) {
	var r Ring
	var errs []error
	for i, entry := range strings.Split(text, ",") {
		one, err := parse(strings.TrimSpace(entry))
		if _, known := r.Find(one.Version); err == nil && known {
			err = fmt.Errorf("version %d is given twice", one.Version)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("entry %d: %w", i+1, err))
		}
		r = append(r, one)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return r, nil
}

func parse(entry string) (Key, error) {
	number, encoded, ok := strings.Cut(entry, ":")
	version, err := strconv.Atoi(number)
	if !ok || err != nil || version < 1 || version > math.MaxInt16 {
		return Key{}, fmt.Errorf("want version:base64, the version a whole number from 1 to %d", math.MaxInt16)
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Key{}, fmt.Errorf("version %d is not base64", version)
	}
	if len(text) < MinBytes {
		return Key{}, fmt.Errorf("version %d has %d bytes; at least %d are needed", version, len(text), MinBytes)
	}
	return Key{version, text}, nil
}

// Find returns the key of a version, and whether there is one.
func (r Ring) Find(version int) (Key, bool) {
	if i := slices.IndexFunc(r, func(k Key) bool { return k.Version == version }); i >= 0 {
		return r[i], true
	}
	return Key{}, false
}

// AnyBeginsWith reports whether a key begins with these bytes, as the keys of
// development mode do.
func (r Ring) AnyBeginsWith(start string) bool {
	return slices.ContainsFunc(r, func(k Key) bool { return bytes.HasPrefix(k.Text, []byte(start)) })
}

// String implements fmt.Stringer: the versions.
func (r Ring) String() string {
	versions := make([]string, len(r))
	for i, k := range r {
		versions[i] = strconv.Itoa(k.Version)
	}
	return strings.Join(versions, ", ")
}

// Format implements fmt.Formatter, so that no verb shows more than String.
func (r Ring) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, r.String()) }

// Format implements fmt.Formatter: the version.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, strconv.Itoa(k.Version)) }
