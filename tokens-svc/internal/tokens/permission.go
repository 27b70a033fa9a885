package tokens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/spelling"
)

// Permission is one thing that a token may do. On the wire of RFC 7662 it is
// called a scope.
type Permission string

// The permissions.
const (
	ShipmentsRead   Permission = "shipments:read"
	ShipmentsWrite  Permission = "shipments:write"
	ShipmentsReview Permission = "shipments:review" // approve and reject
	DocumentsRead   Permission = "documents:read"
	DocumentsWrite  Permission = "documents:write"
	WebhooksManage  Permission = "webhooks:manage"
	Admin           Permission = "admin" // all permissions, including future ones
)

// AllPermissions returns every permission there is, sorted.
func AllPermissions() []Permission {
	return []Permission{
		Admin, DocumentsRead, DocumentsWrite, ShipmentsRead, ShipmentsReview, ShipmentsWrite, WebhooksManage,
	}
}

// ParsePermission reads a permission. The error for an unknown one names the
// nearest.
func ParsePermission(text string) (Permission, error) {
	p := Permission(text)
	if slices.Contains(AllPermissions(), p) {
		return p, nil
	}
	return "", fmt.Errorf("unknown permission %q; did you mean %s?", Scrub(text), spelling.Closest(text, AllPermissions()))
}

// Expand returns everything that the granted permissions amount to, sorted and
// without repetition: write includes read of the same resource, admin includes
// all. A permission that this version does not know, because a newer one granted it, is
// passed on as it is.
func Expand(granted []Permission) []Permission {
	all := slices.Clone(granted)
	for _, p := range granted {
		if p == Admin {
			all = append(all, AllPermissions()...)
		}
		if resource, ok := strings.CutSuffix(string(p), ":write"); ok {
			all = append(all, Permission(resource+":read"))
		}
	}
	return sortedSet(all)
}

// sortedSet sorts list in place and drops repetitions.
func sortedSet(list []Permission) []Permission {
	slices.Sort(list)
	return slices.Compact(list)
}
