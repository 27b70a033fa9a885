package tokengate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// minCredentialBytes is the shortest credential that both sides accept.
const minCredentialBytes = 32

// secret returns what reference stands for or what the file at path holds, without surrounding space. It
// is empty when neither gives anything. The error names the setting and never its value.
func secret(repl *caddy.Replacer, name, reference, pathReference string) (string, error) {
	value := strings.TrimSpace(repl.ReplaceAll(reference, ""))
	path := repl.ReplaceAll(pathReference, "")
	switch {
	case path == "":
		return value, nil
	case value != "":
		return "", fmt.Errorf("token_gate: %s and %[1]s_file, which is %s, are both set; set one", name, pathReference)
	}
	if value = strings.TrimSpace(repl.ReplaceAll("{file."+path+"}", "")); value == "" {
		return "", fmt.Errorf("token_gate: %s_file: %s is empty or cannot be read; see the log", name, path)
	}
	return value, nil
}

// checkCredential reports what is wrong with the gateway's credential. The texts name the environment of
// the shipped Caddyfile, because that is what the reader has to change.
func checkCredential(credential string, demo bool) error {
	switch {
	case credential == "":
		return errors.New("token_gate: the gateway's credential is missing: set GATEWAY_CREDENTIAL or " +
			"GATEWAY_CREDENTIAL_FILE")
	case len(credential) < minCredentialBytes:
		return fmt.Errorf("token_gate: the gateway's credential must have at least %d bytes", minCredentialBytes)
	case strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("token_gate: the gateway's credential must be printable ASCII without spaces")
	case strings.HasPrefix(credential, "demo-") && !demo:
		return errors.New("token_gate: the gateway's credential is the demo's, which is published: set another " +
			"one, or QUAYSIDE_DEMO=true for development")
	default:
		return nil
	}
}
