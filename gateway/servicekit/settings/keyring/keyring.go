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
	"slices"
	"strconv"
	"strings"
)

// Ring is a list of keys, the newest first.
type Ring []Key

// Key is a key and its version.
type Key struct {
	Version int // from 1
	Text    []byte
}

// Bounds are the limits of the keys of a Ring.
type Bounds struct {
	MaxVersion int
	Bytes      int  // length of a key
	Longer     bool // keys may be longer
}

// Parse reads "version:base64,version:base64…", the newest first.
func Parse(text string, b Bounds) (Ring, error) {
	var r Ring
	var errs []error
	for i, entry := range strings.Split(text, ",") {
		one, err := b.parse(strings.TrimSpace(entry))
		if err == nil && slices.ContainsFunc(r, func(k Key) bool { return k.Version == one.Version }) {
			err = fmt.Errorf("version %d is given twice", one.Version)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("entry %d: %w", i+1, err))
			continue
		}
		r = append(r, one)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return r, nil
}

func (b Bounds) parse(entry string) (Key, error) {
	number, encoded, ok := strings.Cut(entry, ":")
	version, err := strconv.Atoi(number)
	if !ok || err != nil || version < 1 || version > b.MaxVersion {
		return Key{}, fmt.Errorf("want version:base64, the version a whole number from 1 to %d", b.MaxVersion)
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Key{}, fmt.Errorf("version %d is not base64", version)
	}
	switch n := len(text); {
	case n < b.Bytes && b.Longer:
		return Key{}, fmt.Errorf("version %d has %d bytes; at least %d are needed", version, n, b.Bytes)
	case n != b.Bytes && !b.Longer:
		return Key{}, fmt.Errorf("version %d has %d bytes; exactly %d are needed", version, n, b.Bytes)
	}
	return Key{version, text}, nil
}

// Find returns the key of a version, and whether there is one.
func (r Ring) Find(version int) (Key, bool) {
	for _, k := range r {
		if k.Version == version {
			return k, true
		}
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
