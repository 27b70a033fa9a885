package repotest

import "github.com/quayside/quayside/tokens-svc/internal/audit"

// AuditKeys returns the keys of the tests' audit logs: version 1 is 00 01 … 1f.
func AuditKeys() audit.Keys {
	keys, err := audit.ParseKeys("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		panic(err)
	}
	return keys
}
