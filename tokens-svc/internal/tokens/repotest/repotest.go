// Package repotest has fixtures for tests on a tokens.Repository.
package repotest

import (
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// The organizations of the tests.
const (
	Org   tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	Other tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
)

// Noon is the creation time of the tests' tokens.
var Noon = time.Date(2026, time.November, 20, 12, 0, 0, 123e6, time.UTC)
