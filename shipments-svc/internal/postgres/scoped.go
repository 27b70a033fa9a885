package postgres

import (
	"cmp"

	"github.com/google/uuid"
)

// The roles as which the program works, whatever its login. Neither owns a
// table nor is exempt from row-level security.
const (
	tenantRole     = "quayside_tenant"     // sees and changes the rows of one organization
	dispatcherRole = "quayside_dispatcher" // sees which organizations have work
)

// scope is the role and organization of a transaction. With its zero value no row is visible.
type scope struct {
	role string
	org  uuid.UUID
}

// scopeKey is the key of the scope in the context of a transaction.
type scopeKey struct{}

// sessionSettings are what a direct connection begins with. Its transactions
// then set only what differs. Every statement has a generic plan that fits all
// arguments (plan_test.go), so prepared ones are planned once.
const sessionSettings = "SET plan_cache_mode = force_generic_plan; SET ROLE " + tenantRole

// settings are what a transaction sets. All of it ends with the transaction, so
// a transaction pooler passes on the connection without any of it.
func (s scope) settings(direct bool) string {
	role := cmp.Or(s.role, tenantRole)
	settings := "SET LOCAL quayside.organization = '" + s.org.String() + "'"
	if !direct || role != tenantRole {
		settings += "; SET LOCAL ROLE " + role
	}
	return settings
}
