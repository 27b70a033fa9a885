package tokens

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// PermissionFile is the permissions of a further service, in the form of
// permissions.json without presets.
type PermissionFile struct {
	Name    string // for errors
	Content []byte
}

// entry is one permission of a file.
type entry struct {
	Name     Permission   `json:"name"`
	Text     string       `json:"text"`
	Includes []Permission `json:"includes"`
	Members  bool         `json:"members"` // members may grant it, not only owners and admins

	file string
}

// catalogueFile is the content of a file.
type catalogueFile struct {
	Permissions []entry  `json:"permissions"`
	Presets     []Preset `json:"presets"`
}

// maxPermissions bounds the catalogue: each request of a token with admin carries every permission in a header, and
// again in the gateway's assertion. 100 of the longest are 16 kB; services accept 64 KiB of headers.
const maxPermissions = 100

var permissionName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}:[a-z][a-z0-9_-]{0,31}$`)

// NewCatalogue returns the built-in permissions and those of files. The error
// lists all faults of the files.
func NewCatalogue(files ...PermissionFile) (*Catalogue, error) {
	c := new(Catalogue)
	var problems []error
	for _, f := range append([]PermissionFile{{"the built-in permissions", builtInFile}}, files...) {
		content, err := f.decode()
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", f.Name, err))
			continue
		}
		if len(c.presets) == 0 {
			c.presets = content.Presets
		} else if len(content.Presets) > 0 {
			problems = append(problems, fmt.Errorf("%s: presets are built in; remove them", f.Name))
		}
		for _, e := range content.Permissions {
			e.file = f.Name
			problems = append(problems, c.add(e)...)
		}
	}
	for _, e := range c.entries {
		problems = append(problems, c.checkIncludes(e)...)
	}
	if n := len(c.entries); n > maxPermissions {
		problems = append(problems, fmt.Errorf("all files together define %d permissions; the limit is %d, because requests carry them", n, maxPermissions))
	}
	return c, errors.Join(problems...)
}

// decode reads the file strictly: a misspelt member is no member that is left out.
func (f PermissionFile) decode() (content catalogueFile, err error) {
	decoder := json.NewDecoder(bytes.NewReader(f.Content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&content); err != nil {
		return content, fmt.Errorf("is not JSON of the documented form: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return content, errors.New("has something after its JSON value")
	}
	if len(content.Permissions) == 0 {
		return content, errors.New("has no permissions")
	}
	return content, nil
}

// add adds a permission in its place and returns what is wrong with it.
func (c *Catalogue) add(e entry) (problems []error) {
	if !permissionName.MatchString(string(e.Name)) && e.Name != Admin {
		problems = append(problems, e.problem("must be like temperatures:read: two words of at most 32 lower-case letters, digits, _ and -"))
	}
	if strings.TrimSpace(e.Text) == "" || utf8.RuneCountInString(e.Text) > maxReason || strings.ContainsFunc(e.Text, IsControl) {
		problems = append(problems, e.problem("text must have 1 to %d characters, on one line", maxReason))
	}
	at, taken := slices.BinarySearchFunc(c.entries, e, func(a, b entry) int { return strings.Compare(string(a.Name), string(b.Name)) })
	if taken {
		return append(problems, e.problem("is defined already in %s", c.entries[at].file))
	}
	c.entries = slices.Insert(c.entries, at, e)
	return problems
}

// checkIncludes returns what is wrong with the permissions that e includes.
func (c *Catalogue) checkIncludes(e entry) (problems []error) {
	for _, p := range e.Includes {
		included, known := c.find(p)
		switch {
		case !known:
			_, err := c.Parse(string(p))
			problems = append(problems, e.problem("includes: %w", err))
		case p == Admin:
			problems = append(problems, e.problem("includes admin; grant admin itself"))
		case e.Members && !included.Members:
			problems = append(problems, e.problem("includes %s, which members may not grant; remove it, or members", p))
		}
	}
	return problems
}

func (e entry) problem(format string, args ...any) error {
	return fmt.Errorf("%s: permission %q: %w", e.file, Scrub(string(e.Name)), fmt.Errorf(format, args...))
}
