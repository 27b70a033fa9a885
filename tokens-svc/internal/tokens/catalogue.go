package tokens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Catalogue is the permissions that a token can be granted: the built-in ones
// and those of further services, which are data. It does not change.
type Catalogue struct {
	entries []Definition // sorted by name
	presets []Preset
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

// OfMembers returns the permissions that members may grant to their tokens,
// sorted. Owners and admins may grant all.
func (c *Catalogue) OfMembers() []Permission {
	return c.named(func(d Definition) bool { return d.Members })
}

// Presets returns the presets, the smallest first.
func (c *Catalogue) Presets() []Preset { return c.presets }

// Text describes p for people; "" for a permission that is not in the catalogue.
func (c *Catalogue) Text(p Permission) string {
	d, _ := c.find(p)
	return d.Text
}

// Parse reads a permission. The error for an unknown one names a similar one, or all.
func (c *Catalogue) Parse(text string) (Permission, error) {
	if d, ok := c.find(Permission(text)); ok {
		return d.Name, nil
	}
	if near := spelling.Nearest(text, c.All()); near != "" {
		return "", fmt.Errorf("unknown permission %q; did you mean %s?", Scrub(text), near)
	}
	return "", fmt.Errorf("unknown permission %q; there are %s", Scrub(text), list(c.All()))
}

// Expand returns everything that the granted permissions amount to, sorted and
// without repetition: what they include, and all for Admin. A permission that is
// not in the catalogue, or no longer, is passed on as it is.
func (c *Catalogue) Expand(granted []Permission) []Permission {
	all := slices.Clone(granted)
	if slices.Contains(granted, Admin) {
		all = append(all, c.All()...)
	}
	for i := 0; i < len(all); i++ {
		d, _ := c.find(all[i])
		for _, p := range d.Includes {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return sortedSet(all)
}

func (c *Catalogue) find(p Permission) (Definition, bool) {
	at, ok := c.search(p)
	if !ok {
		return Definition{}, false
	}
	return c.entries[at], true
}

// search returns where p is, or would be, among the entries.
func (c *Catalogue) search(p Permission) (at int, ok bool) {
	return slices.BinarySearchFunc(c.entries, p,
		func(d Definition, p Permission) int { return strings.Compare(string(d.Name), string(p)) })
}

func (c *Catalogue) named(wanted func(Definition) bool) (names []Permission) {
	for _, d := range c.entries {
		if wanted(d) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Permission is one thing that a token may do. On the wire of RFC 7662 it is
// called a scope. A Catalogue defines which there are.
type Permission string

// Admin is all permissions, including future ones. Services
// give most others their meaning.
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

// sortedSet sorts list in place and drops repetitions.
func sortedSet(list []Permission) []Permission {
	slices.Sort(list)
	return slices.Compact(list)
}
