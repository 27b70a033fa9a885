package webhooks

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// hostname matches a DNS name of at least two labels, of which the last is not a
// number. It does not match addresses in any spelling: decimal, octal or hexadecimal.
var hostname = regexp.MustCompile(
	`^(?i:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?i:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$`,
)

const (
	maxHostname = 253
	// Ports below, except 443, are those of other protocols.
	firstFreePort = 1024
)

// urlFault returns the fault of an endpoint's URL, or "". The address of its host is
// checked at each delivery. With loopback, http and https URLs of this machine are
// also valid.
func urlFault(text string, loopback bool) string {
	if text == "" {
		return "url is required"
	}
	if len(text) > MaxURL {
		return "url must have at most " + strconv.Itoa(MaxURL) + " characters"
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return "url must be of visible ASCII characters; write an international host name in its xn-- form, and " +
				"anything else with %"
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return "url must be absolute, such as https://example.com/hooks"
	}
	local := loopback && isLoopback(u.Hostname())
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return "url must begin with https://"
	case u.User != nil:
		return "url must not have a user name or password; deliveries are signed"
	case u.Fragment != "" || strings.Contains(text, "#"):
		return "url must not have a fragment"
	case local:
		return ""
	case len(u.Hostname()) > maxHostname || !hostname.MatchString(u.Hostname()):
		return "url must name its host by a public DNS name; addresses and names of one label are not allowed"
	case !portAllowed(u):
		return "url must have the port 443, or one from 1024"
	default:
		return ""
	}
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

func portAllowed(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && (port == 443 || port >= firstFreePort)
}
