package environment

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quayside/quayside/gateway/internal/identity"
)

// minCredentialBytes is the shortest credential that both sides accept.
const minCredentialBytes = 32

// checkCredential reports what is wrong with the gateway's credential.
func checkCredential(credential string, demo bool) error {
	switch {
	case credential == "":
		return errors.New("the gateway's credential is missing: set GATEWAY_CREDENTIAL or GATEWAY_CREDENTIAL_FILE")
	case len(credential) < minCredentialBytes:
		return fmt.Errorf("the gateway's credential must have at least %d bytes", minCredentialBytes)
	case strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the gateway's credential must be printable ASCII without spaces")
	case strings.HasPrefix(credential, "demo-") && !demo:
		return errors.New("the gateway's credential is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	default:
		return nil
	}
}

// checkKey reports what is wrong with the key that signs assertions, which development mode may be without.
func checkKey(text string, demo bool) error {
	switch key, err := identity.ParseKey(text); {
	case text == "" && demo:
		return nil
	case text == "":
		return errors.New("the gateway's signing key is missing: set GATEWAY_SIGNING_KEY or " +
			"GATEWAY_SIGNING_KEY_FILE to what `openssl genpkey -algorithm ed25519` writes")
	case err != nil:
		return fmt.Errorf("GATEWAY_SIGNING_KEY: %w", err)
	case identity.Demo(key) && !demo:
		return errors.New("the gateway's signing key is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	default:
		return nil
	}
}
