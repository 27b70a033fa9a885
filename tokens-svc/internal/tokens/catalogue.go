package tokens

import (
	_ "embed" // for the built-in permissions
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quayside/quayside/gateway/servicekit/spelling"
)

//go:embed permissions.json
var builtInFile []byte

// Catalogue is the permissions that a token can be granted: the built-in ones
// and those of further services, which are data. It does not change.
type Catalogue struct {
	entries []entry // sorted by name
	presets []Preset
}

// Preset is a choice of permissions under one name.
type Preset struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Text        string       `json:"text"`
	Permissions []Permission `json:"permissions"` // sorted
}

// builtIn is the catalogue without further services.
var builtIn = sync.OnceValue(func() *Catalogue {
	c, err := NewCatalogue()
	if err != nil {
		panic(fmt.Sprintf("permissions.json: %v", err)) // the file is part of the program
	}
	return c
})

// All returns every permission, sorted.
func (c *Catalogue) All() []Permission {
	return c.named(func(entry) bool { return true })
}

// OfMembers returns the permissions that members may grant to their tokens,
// sorted. Owners and admins may grant all.
func (c *Catalogue) OfMembers() []Permission {
	return c.named(func(e entry) bool { return e.Members })
}

// Presets returns the presets, the smallest first.
func (c *Catalogue) Presets() []Preset { return c.presets }

// Text describes p for people; "" for a permission that is not in the catalogue.
func (c *Catalogue) Text(p Permission) string {
	e, _ := c.find(p)
	return e.Text
}

// Parse reads a permission. The error for an unknown one names the nearest.
func (c *Catalogue) Parse(text string) (Permission, error) {
	if e, ok := c.find(Permission(text)); ok {
		return e.Name, nil
	}
	return "", fmt.Errorf("unknown permission %q; did you mean %s?", Scrub(text), c.nearest(text))
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
		e, _ := c.find(all[i])
		for _, p := range e.Includes {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return sortedSet(all)
}

func (c *Catalogue) find(p Permission) (entry, bool) {
	i, ok := slices.BinarySearchFunc(c.entries, p, func(e entry, p Permission) int { return strings.Compare(string(e.Name), string(p)) })
	if !ok {
		return entry{}, false
	}
	return c.entries[i], true
}

func (c *Catalogue) named(wanted func(entry) bool) (names []Permission) {
	for _, e := range c.entries {
		if wanted(e) {
			names = append(names, e.Name)
		}
	}
	return names
}

// nearest returns the permission with the fewest typing errors to text, of
// which letters of the wrong case are none.
func (c *Catalogue) nearest(text string) Permission {
	return spelling.Closest(text, c.All())
}
