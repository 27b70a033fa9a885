package tokengate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// The errors name the environment variables of the shipped Caddyfile, because those are to be changed.

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

// newSigner returns the signer of assertions, which development mode may be without.
func newSigner(text, issuer string, demo bool) (*identity.Signer, error) {
	switch {
	case text == "" && demo:
		return nil, nil
	case text == "":
		return nil, errors.New("the gateway's signing key is missing: set GATEWAY_SIGNING_KEY or " +
			"GATEWAY_SIGNING_KEY_FILE to what `openssl genpkey -algorithm ed25519` writes")
	}
	key, err := identity.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("signing_key: %w", err)
	}
	if identity.Demo(key) && !demo {
		return nil, errors.New("the gateway's signing key is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	}
	return identity.NewSigner(key, issuer, time.Now)
}

// limiterOptions reads what happens while Redis is away.
func limiterOptions(down, replicas string) (options ratelimit.Options, err error) {
	var faults []error
	switch options.Down = ratelimit.DownPolicy(down); options.Down {
	case "", ratelimit.DownLocal, ratelimit.DownDeny, ratelimit.DownAllow:
	default:
		faults = append(faults, fmt.Errorf("redis_down is %q, must be local, deny or allow", down))
	}
	if options.Replicas, err = strconv.Atoi(replicas); err != nil || options.Replicas < 1 {
		faults = append(faults, fmt.Errorf("replicas is %q, must be a whole number from 1", replicas))
	}
	return options, errors.Join(faults...)
}
