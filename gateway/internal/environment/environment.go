// Package environment checks the settings of the shipped Caddyfile before Caddy reads them there: Caddy's errors name the
// directive that a setting became part of, and some wrong values are none to it.
package environment

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("environment", parse)
}

// parse fails with all faults of the settings. Syntax:
//
//	environment
func parse(d *caddyfile.Dispenser, _ any) (any, error) {
	d.Next() // the option's name
	if d.NextArg() {
		return nil, d.ArgErr()
	}
	return nil, check()
}

// CheckText fails if a setting has characters of the Caddyfile's syntax. Caddy replaces {$NAME} in the text of the file before
// it parses that, so its error could be about any other line. Call it before Caddy.
func CheckText() error {
	names := []string{
		"GATEWAY_ADDRESS", "GATEWAY_BIND", "GATEWAY_TLS", "GATEWAY_TLS_CERTIFICATE", "GATEWAY_TLS_KEY", "ACME_EMAIL", "SERVICE_ROUTES", "DEBUG_ENDPOINTS",
	}
	for _, setting := range settings {
		names = append(names, setting.name)
	}
	var faults []error
	for _, name := range names {
		value := os.Getenv(name)
		if strings.ContainsAny(value, "\"`{}\\\r\n") || strings.Contains(value, "<<") ||
			slices.ContainsFunc(strings.Fields(value), func(word string) bool { return word[0] == '#' }) {
			faults = append(faults, fmt.Errorf("%s must not contain quotes, braces, backslashes, line breaks, << or words that begin with #, and is %q", name, value))
		}
	}
	return errors.Join(faults...)
}

// settings are the forms of values. Those with a list are not needed, and may be empty.
var settings = []struct {
	name, form string
	ok         func(string) bool
}{
	{"GATEWAY_INNER_ADDRESS", "must be :port, such as :9080", func(s string) bool { return strings.HasPrefix(s, ":") && isPort(s[1:]) }},
	{"TOKENS_INTERNAL_URL", "must be http://host:port or https://host:port, without a path", isOrigin},
	{"TOKENS_HOST", isHostForm, isHost},
	{"SHIPMENTS_HOST", isHostForm, isHost},
	{"TOKENS_PORT", isPortForm, isPort},
	{"SHIPMENTS_PORT", isPortForm, isPort},
	{"REDIS_DOWN", "must be local, deny or allow", oneOf("local", "deny", "allow")},
	{"GATEWAY_REPLICAS", "must be a whole number from 1", func(s string) bool { n, err := strconv.Atoi(s); return err == nil && n > 0 }},
	{"WINDOWS_MODE", "must be enforce or shadow", oneOf("enforce", "shadow")},
	{"GATEWAY_SHUTDOWN_DELAY", "must be a duration with a unit, such as 10s", func(s string) bool { d, err := caddy.ParseDuration(s); return err == nil && d >= 0 }},
	{"TRUSTED_PROXIES", "must be addresses or ranges, separated by spaces, such as 10.0.0.0/8 192.0.2.1", all(isRange)},
	{"CORS_ALLOWED_ORIGINS", "must be origins, separated by spaces, such as https://app.example, or *", all(func(s string) bool { return s == "*" || isOrigin(s) })},
	{"ACME_DIRECTORY", "must be a URL, such as https://acme-v02.api.letsencrypt.org/directory", isURL},
	{"LOG_LEVEL", "must be debug, info, warn or error", oneOf("debug", "info", "warn", "error")},
}

const (
	isHostForm = "must be a name or an address, an IPv6 address in brackets, without a scheme or a port"
	isPortForm = "must be a port, from 1 to 65535"
)

func check() error {
	var faults []error
	for _, setting := range settings {
		if value, ok := os.LookupEnv(setting.name); ok && !setting.ok(value) {
			faults = append(faults, fmt.Errorf("%s %s, and is %q", setting.name, setting.form, value))
		}
	}
	if redis := os.Getenv("REDIS_URL"); redis != "" && !strings.Contains(redis, "://") {
		faults = append(faults, errors.New("REDIS_URL must be a URL, such as redis://127.0.0.1:6379/0")) // its value is secret
	}
	return errors.Join(append(faults, checkAddress(), checkCertificate())...)
}

// checkCertificate reads the files of the certificate: Caddy's errors about their content name no file.
func checkCertificate() error {
	if os.Getenv("GATEWAY_TLS") != "on" {
		return nil
	}
	certificate := valueOr("GATEWAY_TLS_CERTIFICATE", "/run/secrets/certificate.pem")
	key := valueOr("GATEWAY_TLS_KEY", "/run/secrets/key.pem")
	if _, err := tls.LoadX509KeyPair(certificate, key); err != nil {
		return fmt.Errorf("GATEWAY_TLS_CERTIFICATE is %s, GATEWAY_TLS_KEY is %s: %w", certificate, key, err)
	}
	return nil
}

// valueOr returns a setting, or what the Caddyfile has for it if it is not set.
func valueOr(name, otherwise string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return otherwise
}

// checkAddress checks GATEWAY_ADDRESS, whose form GATEWAY_TLS decides.
func checkAddress() error {
	mode, text := os.Getenv("GATEWAY_TLS"), valueOr("GATEWAY_ADDRESS", ":8080")
	addresses := strings.Fields(text)
	hosts := 0
	for _, field := range addresses {
		address, err := httpcaddyfile.ParseAddress(field)
		switch {
		case err != nil || !isPort(address.Port) || address.Path != "":
			addresses = nil
		case address.Scheme == "https" && mode != "on" && mode != "auto":
			return fmt.Errorf("GATEWAY_ADDRESS is %s: https:// needs GATEWAY_TLS; without it the address is such as :8080", field)
		case address.Host != "" && address.Scheme != "http":
			hosts++
		}
	}
	if len(addresses) == 0 {
		return fmt.Errorf("GATEWAY_ADDRESS must have a port, such as :8080, and is %q", text)
	}
	if text == valueOr("GATEWAY_INNER_ADDRESS", ":9080") {
		return fmt.Errorf("GATEWAY_ADDRESS and GATEWAY_INNER_ADDRESS are both %s: the inner listener must not be public", text)
	}
	// Without a host Caddy loads, and no handshake succeeds.
	if mode == "auto" && hosts == 0 {
		return errors.New("GATEWAY_TLS=auto obtains certificates for the hosts in GATEWAY_ADDRESS, which names none; " +
			"set, for example, GATEWAY_ADDRESS='https://:8080 https://api.example.com:8080'")
	}
	return nil
}

func oneOf(values ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(values, s) }
}

func all(ok func(string) bool) func(string) bool {
	return func(s string) bool {
		return !slices.ContainsFunc(strings.Fields(s), func(field string) bool { return !ok(field) })
	}
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

func isHost(s string) bool {
	host, _, err := net.SplitHostPort(s + ":1")
	return err == nil && host != "" && !strings.ContainsAny(host, "/ ")
}

func isRange(s string) bool {
	_, err := netip.ParsePrefix(s)
	_, errAddr := netip.ParseAddr(s)
	return err == nil || errAddr == nil || s == "private_ranges"
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.Contains(s, " ")
}

func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isURL(s) && u.Scheme+"://"+u.Host == s
}
