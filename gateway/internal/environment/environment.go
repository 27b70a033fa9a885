// Package environment reads the settings of the shipped Caddyfile before Caddy does: Caddy's errors name the directive that
// a setting became part of, and some wrong values are none to it.
package environment

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("environment", parse)
}

// parse fails with all faults of the settings and of the certificate's files, which a reload reads again. Syntax:
//
//	environment
func parse(d *caddyfile.Dispenser, _ any) (any, error) {
	d.Next() // the option's name
	if d.NextArg() {
		return nil, d.ArgErr()
	}
	return nil, errors.Join(Prepare(), checkCertificate())
}

// settings are the forms of values. ok is nil if each value has the form.
var settings = []struct {
	name, form string
	ok         func(string) bool
}{
	{"GATEWAY_ADDRESS", "", nil}, // see checkAddress
	{"GATEWAY_INNER_ADDRESS", "must be :port, such as :9080", func(s string) bool { return strings.HasPrefix(s, ":") && isPort(s[1:]) }},
	{"GATEWAY_BIND", "must be IP addresses of this machine, separated by spaces, such as 127.0.0.1, without a port", all(isAddress)},
	{"GATEWAY_TLS", "must be off, on or auto", oneOf("off", "on", "auto")},
	{"GATEWAY_TLS_CERTIFICATE", "", nil},
	{"GATEWAY_TLS_KEY", "", nil},
	{"ACME_DIRECTORY", "must be a URL, such as https://acme-v02.api.letsencrypt.org/directory", isURL},
	{"ACME_EMAIL", "must be an e-mail address", isEmail},
	{"QUAYSIDE_DEMO", isBoolForm, isBool},
	{"REDIS_DOWN", "must be local, deny or allow", oneOf("local", "deny", "allow")},
	{"GATEWAY_REPLICAS", "must be a whole number from 1", func(s string) bool { n, err := strconv.Atoi(s); return err == nil && n > 0 }},
	{"WINDOWS_MODE", "must be enforce or shadow", oneOf("enforce", "shadow")},
	{"TOKENS_INTERNAL_URL", "must be http://host:port or https://host:port, without a path, a user or a password", isOrigin},
	{"TOKENS_HOST", isHostForm, isHost},
	{"TOKENS_PORT", isPortForm, isPort},
	{"SHIPMENTS_HOST", isHostForm, isHost},
	{"SHIPMENTS_PORT", isPortForm, isPort},
	{"SERVICE_ROUTES", "", nil},
	{"GATEWAY_SHUTDOWN_DELAY", "must be a duration with a unit, such as 10s, of at most 1h", isDelay},
	{"TRUSTED_PROXIES", "must be addresses or ranges, separated by spaces, such as 10.0.0.0/8 192.0.2.1", all(isRange)},
	{"CORS_ALLOWED_ORIGINS", "must be origins as browsers write them (lower case, no default port, no wildcard), separated by spaces, such as https://app.example, or *", all(func(s string) bool { return s == "*" || IsWebOrigin(s) })},
	{"DEBUG_ENDPOINTS", isBoolForm, isBool},
	{"LOG_LEVEL", "must be debug, info, warn or error", func(s string) bool { return oneOf("debug", "info", "warn", "error")(strings.ToLower(s)) }},
}

const (
	isHostForm = "must be a name or an address, an IPv6 address in brackets, without a scheme or a port"
	isPortForm = "must be a port, from 1 to 65535"
	isBoolForm = "must be true or false"
	syntaxForm = "must not contain quotes, braces, backslashes, line breaks, << or words that begin with #"
)

// Prepare fails with all faults of the settings. A setting that is empty is not set after it, and one that is on or off is
// true or false. Call it before Caddy, which replaces {$NAME} in the text of the Caddyfile: characters of its syntax in a
// value would be reported for any other line.
func Prepare() error {
	var faults []error
	for _, setting := range settings {
		value := os.Getenv(setting.name)
		on, notBool := strconv.ParseBool(value)
		switch {
		case value == "":
			faults = append(faults, os.Unsetenv(setting.name))
		case hasSyntax(value):
			faults = append(faults, fault(setting.name, syntaxForm, value))
		case setting.ok != nil && !setting.ok(value):
			faults = append(faults, fault(setting.name, setting.form, value))
		case setting.form == isBoolForm && notBool == nil:
			faults = append(faults, os.Setenv(setting.name, strconv.FormatBool(on)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return checkAddress()
}

// fault is the error for a value, which it shows unless that may have a password.
func fault(name, form, value string) error {
	if strings.Contains(value, "@") {
		return fmt.Errorf("%s %s", name, form)
	}
	return fmt.Errorf("%s %s, and is %q", name, form, value)
}

// checkCertificate reads the files of the certificate: Caddy's errors about their content name no file.
func checkCertificate() error {
	if os.Getenv("GATEWAY_TLS") != "on" {
		return nil
	}
	certificate := cmp.Or(os.Getenv("GATEWAY_TLS_CERTIFICATE"), "/run/secrets/certificate.pem")
	key := cmp.Or(os.Getenv("GATEWAY_TLS_KEY"), "/run/secrets/key.pem")
	if _, err := tls.LoadX509KeyPair(certificate, key); err != nil {
		return fmt.Errorf("GATEWAY_TLS_CERTIFICATE is %s, GATEWAY_TLS_KEY is %s: %w", certificate, key, err)
	}
	return nil
}

// checkAddress checks GATEWAY_ADDRESS, whose form GATEWAY_TLS decides.
func checkAddress() error {
	mode, text := cmp.Or(os.Getenv("GATEWAY_TLS"), "off"), cmp.Or(os.Getenv("GATEWAY_ADDRESS"), ":8080")
	inner := cmp.Or(os.Getenv("GATEWAY_INNER_ADDRESS"), ":9080")
	scheme := "https"
	if mode == "off" {
		scheme = "http"
	}
	var hosts, ports int
	for field := range strings.FieldsSeq(text) {
		address, err := httpcaddyfile.ParseAddress(field)
		switch {
		case err != nil || !isPort(address.Port) || address.Path != "":
			return fault("GATEWAY_ADDRESS", "must have a port, such as :8080", text)
		case address.Scheme != "" && address.Scheme != scheme:
			return fmt.Errorf("GATEWAY_ADDRESS is %s, and GATEWAY_TLS=%s needs %s://, or :%s", field, mode, scheme, address.Port)
		case strings.TrimLeft(address.Port, "0") == strings.TrimLeft(inner, ":0"):
			return fmt.Errorf("GATEWAY_ADDRESS and GATEWAY_INNER_ADDRESS both have the port %s: the internal listener must not be public", address.Port)
		case address.Host == "":
			ports++
		case mode != "auto":
			return fmt.Errorf("GATEWAY_ADDRESS is %s: requests to other hosts would not reach the gateway; set GATEWAY_ADDRESS=:%s, "+
				"and GATEWAY_BIND for the addresses to listen on", field, address.Port)
		default:
			hosts++
		}
	}
	switch {
	case hosts+ports == 0:
		return fault("GATEWAY_ADDRESS", "must have a port, such as :8080", text)
	case mode == "auto" && (hosts == 0 || ports == 0): // with no host no handshake succeeds
		return errors.New("GATEWAY_TLS=auto obtains certificates for the hosts in GATEWAY_ADDRESS, which also needs an address " +
			"without a host; set, for example, GATEWAY_ADDRESS='https://:8080 https://api.example.com:8080'")
	}
	return nil
}

// hasSyntax reports whether s has characters of the Caddyfile's syntax.
func hasSyntax(s string) bool {
	return strings.ContainsAny(s, "\"`{}\\\r\n") || strings.Contains(s, "<<") ||
		slices.ContainsFunc(strings.Fields(s), func(word string) bool { return word[0] == '#' })
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

func isBool(s string) bool {
	_, err := strconv.ParseBool(s)
	return err == nil
}

func isEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

// isDelay bounds a delay: a program that waits longer for its end does not end.
func isDelay(s string) bool {
	d, err := caddy.ParseDuration(s)
	return err == nil && d >= 0 && d <= time.Hour
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	return err == nil
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
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.Contains(s, " ") &&
		!strings.HasSuffix(u.Host, ":") && (u.Port() == "" || isPort(u.Port()))
}

func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isURL(s) && u.Scheme+"://"+u.Host == s
}

// webOrigin is an origin in ASCII and lower case, defaultPort one that browsers write without its port.
var (
	webOrigin   = regexp.MustCompile(`^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]*)?$`)
	defaultPort = regexp.MustCompile(`^(http:.*:80|https:.*:443)$`)
)

// IsWebOrigin reports whether s is an origin of http or https as browsers write it.
func IsWebOrigin(s string) bool {
	return isOrigin(s) && webOrigin.MatchString(s) && !defaultPort.MatchString(s)
}
