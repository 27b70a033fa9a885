package tokens

import (
	"slices"
	"sync/atomic"
)

// Permission is one thing that a token may do. On the wire of RFC 7662 it is
// called a scope. A Catalogue defines which there are.
type Permission string

// Admin is all permissions, including future ones. It is the only permission
// that this program gives a meaning; services do for all others.
const Admin Permission = "admin"

// installed is the catalogue of this program; nil: the built-in one.
var installed atomic.Pointer[Catalogue]

// Install makes c the catalogue of this program. Call it once, at start.
func Install(c *Catalogue) { installed.Store(c) }

// Permissions returns the catalogue of this program.
func Permissions() *Catalogue {
	if c := installed.Load(); c != nil {
		return c
	}
	return builtIn()
}

// AllPermissions returns every permission of the installed catalogue, sorted.
func AllPermissions() []Permission { return Permissions().All() }

// ParsePermission reads a permission of the installed catalogue.
func ParsePermission(text string) (Permission, error) { return Permissions().Parse(text) }

// Expand is Catalogue.Expand of the installed catalogue.
func Expand(granted []Permission) []Permission { return Permissions().Expand(granted) }

// sortedSet sorts list in place and drops repetitions.
func sortedSet(list []Permission) []Permission {
	slices.Sort(list)
	return slices.Compact(list)
}
