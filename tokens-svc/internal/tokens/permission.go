package tokens

import (
	"fmt"
	"slices"
)

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
