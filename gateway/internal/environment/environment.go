// Package environment reads the secrets of the shipped Caddyfile that are in files, and checks those settings with
// which Caddy would start a gateway that does not work. All others are Caddy's to check.
package environment

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("quayside", parse)
}

// announceDemo logs development mode once, and not with each reload.
var announceDemo = sync.OnceFunc(func() {
	caddy.Log().Named("quayside").Warn("development mode: accepts the public demo secrets",
		zap.String("setting", "QUAYSIDE_DEMO"))
})

// parse checks the settings, which a reload reads again: no Caddyfile with the option is accepted when secrets are
// missing, short or, but in development mode, published. A configuration that was adapted to JSON before is not
// checked: with a demo secret the services refuse its requests. Syntax:
//
//	quayside <whether it is development mode>
func parse(d *caddyfile.Dispenser, _ any) (any, error) {
	d.Next() // the option's name
	var mode string
	if err := directive.Read(d, &mode); err != nil {
		return nil, err
	}
	demo := mode == "true"
	if !demo && mode != "false" {
		return nil, d.Errf("QUAYSIDE_DEMO is %q, must be true or false", mode)
	}
	if demo {
		announceDemo()
	}
	return nil, errors.Join(Prepare(), checkCredential(os.Getenv("GATEWAY_CREDENTIAL"), demo),
		checkKey(os.Getenv("GATEWAY_SIGNING_KEY"), demo))
}

// secrets are the settings of which NAME_FILE may name a file, and loaded those that were read from one.
var (
	secrets = []string{"GATEWAY_CREDENTIAL", "GATEWAY_SIGNING_KEY", "REDIS_URL"}
	loaded  = map[string]bool{}
)

// load sets a secret to the content of its file, if it has one.
func load(name string) error {
	path := os.Getenv(name + "_FILE")
	if path == "" {
		return nil
	}
	if os.Getenv(name) != "" && !loaded[name] {
		return fmt.Errorf("%s and %[1]s_FILE are both set; set one", name)
	}
	content, err := os.ReadFile(path) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return fmt.Errorf("%s_FILE: %w", name, err)
	}
	loaded[name] = true
	return os.Setenv(name, strings.TrimSpace(string(content)))
}

const defaultRedisURL = "redis://127.0.0.1:6379/0"

// Prepare fails with all faults of the settings. After it, a secret in a file is set, and a variable that is empty is
// not, so that the setting has its default. Call it before Caddy reads the Caddyfile.
func Prepare() error {
	var faults []error
	for _, name := range secrets {
		faults = append(faults, load(name))
	}
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); value == "" {
			faults = append(faults, os.Unsetenv(name))
		}
	}
	if os.Getenv("REDIS_URL") == "" { // a secret, so the Caddyfile has a placeholder, which needs a value
		faults = append(faults, os.Setenv("REDIS_URL", defaultRedisURL))
	}
	if len(strings.Fields(os.Getenv("SERVICE_ROUTES"))) > 1 { // all but the first would be ignored
		faults = append(faults, errors.New("SERVICE_ROUTES must be one path or pattern, without spaces"))
	}
	return errors.Join(append(faults, checkAddress())...)
}

// checkAddress checks GATEWAY_ADDRESS, whose form GATEWAY_TLS decides.
func checkAddress() error {
	mode, text := cmp.Or(os.Getenv("GATEWAY_TLS"), "off"), cmp.Or(os.Getenv("GATEWAY_ADDRESS"), ":8080")
	_, inner, _ := strings.Cut(cmp.Or(os.Getenv("GATEWAY_INNER_ADDRESS"), ":9080"), ":")
	scheme := "https"
	if mode == "off" {
		scheme = "http"
	}
	var hosts, ports int
	for field := range strings.FieldsSeq(text) {
		address, err := httpcaddyfile.ParseAddress(field)
		switch {
		case err != nil || address.Port == "":
			return fmt.Errorf("GATEWAY_ADDRESS must have a port, such as :8080, and is %q", text)
		case address.Scheme != "" && address.Scheme != scheme:
			return fmt.Errorf("GATEWAY_ADDRESS is %s, and GATEWAY_TLS=%s needs %s://, or :%s",
				field, mode, scheme, address.Port)
		case strings.TrimLeft(address.Port, "0") == strings.TrimLeft(inner, "0"):
			return fmt.Errorf("GATEWAY_ADDRESS and GATEWAY_INNER_ADDRESS both have the port %s: the internal "+
				"listener must not be public",
				address.Port)
		case address.Host == "":
			ports++
		case mode != "auto":
			return fmt.Errorf("GATEWAY_ADDRESS is %s: requests to other hosts would not reach the gateway; set "+
				"GATEWAY_ADDRESS=:%s, and GATEWAY_BIND for the addresses to listen on", field, address.Port)
		default:
			hosts++
		}
	}
	if mode == "auto" && (hosts == 0 || ports == 0) { // with no host no handshake succeeds
		return errors.New("GATEWAY_TLS=auto obtains certificates for the hosts in GATEWAY_ADDRESS, which also needs " +
			"an address without a host; set, for example, GATEWAY_ADDRESS='https://:8080 https://api.example.com:8080'")
	}
	return nil
}
