package tokens

import (
	_ "embed" // for the built-in permissions
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Catalogue is the permissions that a token can be granted: the built-in ones
// and those of further services, which are data. It does not change.
type Catalogue struct {
	entries map[Permission]Definition
	presets []Preset
	roles   []powers // from the most powerful down
}

// Preset is a choice of permissions under one name.
type Preset struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Text        string       `json:"text"`
	Permissions []Permission `json:"permissions"` // sorted
}

// All returns every permission, sorted.
func (c *Catalogue) All() []Permission {
	return c.named(func(Definition) bool { return true })
}

// OfMembers returns the permissions that members may grant to their tokens, sorted. Owners and admins may grant all.
func (c *Catalogue) OfMembers() []Permission {
	return c.named(func(d Definition) bool { return d.Members })
}

// Presets returns the presets, the smallest first.
func (c *Catalogue) Presets() []Preset { return c.presets }

// Text describes p for people; "" for a permission that is not in the catalogue.
func (c *Catalogue) Text(p Permission) string { return c.entries[p].Text }

// Parse reads a permission. The error for an unknown one names a similar one, or all.
func (c *Catalogue) Parse(text string) (Permission, error) {
	if d, ok := c.entries[Permission(text)]; ok {
		return d.Name, nil
	}
	if near := spelling.Nearest(text, c.All()); near != "" {
		return "", fmt.Errorf("unknown permission %q; did you mean %s?", Scrub(text), near)
	}
	return "", fmt.Errorf("unknown permission %q; there are %s", Scrub(text), commaSeparated(c.All()))
}

// Expand returns everything that the granted permissions amount to, sorted and without repetition: what they include,
// and all for Admin. A permission that is not in the catalogue, or no longer, is passed on as it is.
func (c *Catalogue) Expand(granted []Permission) []Permission {
	all := slices.Clone(granted)
	if slices.Contains(granted, Admin) {
		all = append(all, c.All()...)
	}
	for i := 0; i < len(all); i++ {
		for _, p := range c.entries[all[i]].Includes {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return sortedSet(all)
}

// named returns the names of some of the permissions, sorted.
func (c *Catalogue) named(wanted func(Definition) bool) (names []Permission) {
	for name, d := range c.entries {
		if wanted(d) {
			names = append(names, name)
		}
	}
	return sortedSet(names)
}

// Permission is one thing that a token may do. On the wire of RFC 7662 it is
// called a scope. A Catalogue defines which there are.
type Permission string

// Admin is all permissions, including future ones. Services give most others their meaning.
const Admin Permission = "admin"

// TokensRead and AuditRead are permissions of tokens-svc's own API.
const (
	TokensRead Permission = "tokens:read"
	AuditRead  Permission = "audit:read"
)

// Texts returns permissions, address ranges and the like as they are written.
func Texts[T any](all []T) []string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = fmt.Sprint(one)
	}
	return texts
}

func join[T any](all []T, separator string) string { return strings.Join(Texts(all), separator) }

func commaSeparated(permissions []Permission) string { return join(permissions, ", ") }

// sortedSet sorts list in place and drops repetitions.
func sortedSet(list []Permission) []Permission {
	slices.Sort(list)
	return slices.Compact(list)
}

// Definition defines a permission.
type Definition struct {
	Name     Permission   `json:"name"`
	Text     string       `json:"text"`     // for people
	Includes []Permission `json:"includes"` // what it implies
	Members  bool         `json:"members"`  // members may grant it, not only owners and admins

	File string `json:"-"` // for errors
}

//go:embed permissions.json
var builtInFile []byte

// builtIn is the catalogue without further services.
var builtIn = sync.OnceValue(func() *Catalogue {
	var content struct {
		Permissions []Definition `json:"permissions"`
		Presets     []Preset     `json:"presets"`
		Roles       []powers     `json:"roles"`
	}
	err := json.Unmarshal(builtInFile, &content)
	c := &Catalogue{entries: map[Permission]Definition{}, presets: content.Presets, roles: content.Roles}
	if err = errors.Join(err, c.define(content.Permissions)); err != nil {
		panic(fmt.Sprintf("permissions.json: %v", err)) // the file is part of the program
	}
	return c
})

// maxPermissions bounds the catalogue: each request of a token with admin carries every permission in a header, and
// again in the gateway's assertion. 100 of the longest are 16 kB; services accept 64 KiB of headers.
const maxPermissions = 100

var permissionName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}:[a-z][a-z0-9_-]{0,31}$`)

// NewCatalogue returns the built-in permissions and further ones. The error lists all faults of these.
func NewCatalogue(further ...Definition) (*Catalogue, error) {
	c := &Catalogue{entries: maps.Clone(builtIn().entries), presets: builtIn().presets, roles: builtIn().roles}
	return c, c.define(further)
}

// define adds permissions and returns what is wrong with them.
func (c *Catalogue) define(all []Definition) error {
	var problems []error
	for _, d := range all {
		problems = append(problems, c.add(d)...)
	}
	for _, d := range all {
		problems = append(problems, c.checkIncludes(d)...)
	}
	if n := len(c.entries); n > maxPermissions {
		problems = append(problems,
			fmt.Errorf("all files together define %d permissions; the limit is %d, because requests carry them", n,
				maxPermissions))
	}
	return errors.Join(problems...)
}

// add adds a permission in its place and returns what is wrong with it.
func (c *Catalogue) add(d Definition) (problems []error) {
	if !permissionName.MatchString(string(d.Name)) && d.Name != Admin {
		problems = append(problems,
			d.problem("must be like temperatures:read: two words of at most 32 lower-case letters, digits, _ and -"))
	}
	if plaintext.Blank(d.Text) || utf8.RuneCountInString(d.Text) > maxReason ||
		strings.ContainsFunc(d.Text, plaintext.Refused) {
		problems = append(problems, d.problem("text must have 1 to %d characters, on one line", maxReason))
	}
	switch known, taken := c.entries[d.Name]; {
	case !taken:
		c.entries[d.Name] = d
	case known.File != "":
		problems = append(problems, d.problem("is defined already in %s; rename or remove one of the two", known.File))
	default:
		problems = append(problems, d.problem("is built in; choose another name"))
	}
	return problems
}

// checkIncludes returns what is wrong with the permissions that d includes.
func (c *Catalogue) checkIncludes(d Definition) (problems []error) {
	for _, p := range d.Includes {
		included, known := c.entries[p]
		switch {
		case !known:
			_, err := c.Parse(string(p))
			problems = append(problems, d.problem("includes: %w", err))
		case p == Admin:
			problems = append(problems, d.problem("includes admin; grant admin itself"))
		case d.Members && !included.Members:
			problems = append(problems, d.problem("includes %s, which members may not grant; remove it, or members", p))
		}
	}
	return problems
}

func (d Definition) problem(format string, args ...any) error {
	return fmt.Errorf("%s: permission %s: %w", d.File, spelling.Quote(Scrub(string(d.Name))), fmt.Errorf(format, args...))
}
