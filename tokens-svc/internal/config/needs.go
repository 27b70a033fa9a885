package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/servicekit/settings"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/mail"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Need reads a part of the configuration that a command cannot do without.
type Need func(*Config) error

// Database is needed by commands that use Postgres.
func Database(c *Config) error { return c.CheckDatabase(c.environ) }

// Peppers are needed to make and to verify tokens.
func Peppers(c *Config) error {
	const name = "TOKEN_PEPPERS"
	if c.TokenPeppers == "" {
		return settings.Missing(c.environ, name, `make one with: echo "1:$(openssl rand -base64 32)"`)
	}
	var err error
	if c.Peppers, err = tokens.ParsePeppers(c.TokenPeppers); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return c.RefuseDemo(name, "key", c.Peppers.AnyBeginsWith(settings.DemoPrefix))
}

// Gateways are needed to answer introspections.
func Gateways(c *Config) error {
	if c.GatewayCredential == "" {
		return settings.Missing(c.environ, "GATEWAY_CREDENTIAL", "make one with: openssl rand -hex 32")
	}
	var err error
	if c.Gateways, err = credential.Parse(c.GatewayCredential); err != nil {
		return fmt.Errorf("GATEWAY_CREDENTIAL: %w", err)
	}
	demo := false
	for entry := range strings.SplitSeq(c.GatewayCredential, ",") {
		demo = demo || strings.HasPrefix(strings.TrimSpace(entry), settings.DemoPrefix)
	}
	return c.RefuseDemo("GATEWAY_CREDENTIAL", "secret", demo)
}

// Callers are needed to answer requests that came through the gateway.
func Callers(c *Config) (err error) {
	c.CallerKeys, err = c.Keys(c.environ)
	return err
}

// Pages are needed to serve people in a browser.
func Pages(c *Config) error {
	var errs [7]error
	c.Public, errs[0] = c.parseURL("PUBLIC_URL", c.PublicURL)
	if strings.Trim(c.Public.Path, "/") != "" {
		errs[0] = errors.New("PUBLIC_URL must have no path: pages lie at /sign-in and /settings")
	}
	if c.OIDCIssuer != "" {
		errs[1] = c.checkIssuer()
	}
	if c.OIDCIssuer == "" && !c.Passwords() {
		errs[2] = errors.New("LOCAL_SIGN_IN is false and OIDC_ISSUER is not set: sign-in would be impossible")
	}
	if c.SMTPURL != "" {
		if c.Mail, errs[3] = mail.New(c.SMTPURL, c.MailFrom, c.Public); errs[3] != nil {
			errs[3] = fmt.Errorf("SMTP_URL, MAIL_FROM: %w", errs[3])
		}
	}
	if c.TOTPKeys != "" {
		errs[4] = c.readAppKeys()
	}
	errs[5] = c.readDomains()
	if c.Passkeys && c.Public.Hostname() != "" {
		errs[6] = c.readParty()
	}
	return errors.Join(errs[:]...)
}

// readParty leaves an address without passkeys: browsers have none for it.
func (c *Config) readParty() (err error) {
	if _, err := netip.ParseAddr(c.Public.Hostname()); err == nil {
		return nil
	}
	if c.Party, err = passkey.New(c.Public); err != nil {
		return fmt.Errorf("PUBLIC_URL: %w; or set PASSKEYS=false", err)
	}
	return nil
}

func (c *Config) checkIssuer() error {
	_, err := c.parseURL("OIDC_ISSUER", c.OIDCIssuer)
	errs := []error{err}
	for name, value := range map[string]string{
		"OIDC_CLIENT_ID":     c.OIDCClientID,
		"OIDC_CLIENT_SECRET": c.OIDCClientSecret,
	} {
		if value == "" {
			errs = append(errs, settings.Missing(c.environ, name, "OIDC_ISSUER needs it"))
		}
	}
	return errors.Join(errs...)
}

var domainEntry = regexp.MustCompile(`^([^=:]+\.[^=:]+)=(org_[0-9a-z]{26}):([a-z]+)(?::([^=]+)=(.+))?$`)

func (c *Config) readDomains() error {
	c.Domains = map[string]people.Domain{}
	for entry := range strings.FieldsFuncSeq(c.OIDCDomains, func(r rune) bool { return r == ',' || r == ' ' }) {
		part := domainEntry.FindStringSubmatch(entry)
		if part == nil || !slices.Contains(tokens.Roles(), tokens.Role(part[3])) {
			return fmt.Errorf("OIDC_DOMAINS: %q is not like example.com=org_…:member, or with :hd=example.com or "+
				":tid=… behind it", entry)
		}
		d := people.Domain{
			Organization: tokens.OrgID(part[2]), Role: tokens.Role(part[3]), Claim: part[4], Value: part[5],
		}
		if c.OIDCIssuer == people.Google && d.Claim == "" {
			d.Claim, d.Value = "hd", part[1]
		}
		c.Domains[strings.ToLower(part[1])] = d
	}
	return nil
}

func (c *Config) readAppKeys() error {
	keys, err := sealing.Parse(c.TOTPKeys)
	if err != nil {
		return fmt.Errorf("TOTP_KEYS: %w", err)
	}
	c.AppKeys = &keys
	return c.RefuseDemo("TOTP_KEYS", "key", keys.AnyBeginsWith(settings.DemoPrefix))
}

// Passwords reports whether people may sign in with one.
func (c Settings) Passwords() bool {
	if c.LocalSignIn == nil {
		return c.OIDCIssuer == ""
	}
	return *c.LocalSignIn
}

// parseURL reads a URL, which must be https except on one's own machine. It is never nil.
func (c Settings) parseURL(name, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		u = new(url.URL)
	case u.Scheme == "http" && !c.Demo && !address.Loopback(u.Hostname()):
		return u, fmt.Errorf("%s must be https: passwords and sessions would travel in clear; http is for localhost, "+
			"or with QUAYSIDE_DEMO=true", name)
	}
	if u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return u, fmt.Errorf("%s must be a URL such as https://quayside.example.com", name)
	}
	return u, nil
}

// Permissions are needed by whatever reads or grants permissions: the built-in ones and those of SERVICE_DEFINITIONS.
func Permissions(c *Config) error {
	paths, err := c.DefinitionFiles()
	errs := []error{err}
	var further []tokens.Definition
	for _, path := range paths {
		defined, err := readPermissions(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
		further = append(further, defined...)
	}
	c.Catalogue, err = tokens.NewCatalogue(further...)
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("SERVICE_DEFINITIONS: %w", err)
	}
	return nil
}

// readPermissions reads a file strictly: a member that is unknown or given twice is an error.
func readPermissions(path string) ([]tokens.Definition, error) {
	content, err := os.ReadFile(path) //nolint:gosec // G304: the operator's choice
	if err != nil {
		return nil, err
	}
	var file struct {
		Permissions []tokens.Definition `json:"permissions"`
		Sections    pages.Sections      `json:"sections"` // of its pages, which Service.Sections reads
	}
	if err := json.Unmarshal(content, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if len(file.Permissions) == 0 {
		return nil, errors.New("has no permissions; list at least one, or remove the file")
	}
	for i := range file.Permissions {
		file.Permissions[i].File = path
	}
	return file.Permissions, nil
}
