package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
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
	errs := []error{c.checkURL("PUBLIC_URL", c.PublicURL)}
	if u, err := url.Parse(c.PublicURL); err == nil && strings.Trim(u.Path, "/") != "" {
		errs = append(errs, errors.New("PUBLIC_URL must have no path: pages lie at /sign-in and /settings"))
	}
	if c.OIDCIssuer != "" {
		errs = append(errs, c.checkURL("OIDC_ISSUER", c.OIDCIssuer))
		for name, value := range map[string]string{
			"OIDC_CLIENT_ID":     c.OIDCClientID,
			"OIDC_CLIENT_SECRET": c.OIDCClientSecret,
		} {
			if value == "" {
				errs = append(errs, settings.Missing(c.environ, name, "OIDC_ISSUER needs it"))
			}
		}
	}
	if _, err := strconv.ParseBool(c.LocalSignIn); err != nil && c.LocalSignIn != "" {
		errs = append(errs, fmt.Errorf("LOCAL_SIGN_IN is %q; it must be true or false", c.LocalSignIn))
	}
	if c.OIDCIssuer == "" && !c.Passwords() {
		errs = append(errs,
			errors.New("LOCAL_SIGN_IN is false and OIDC_ISSUER is not set: sign-in would be impossible"))
	}
	return errors.Join(append(errs, c.readDomains(), c.readMail(), c.readFactors())...)
}

// readFactors reads TOTP_KEYS and PASSKEYS.
func (c *Config) readFactors() (err error) {
	if c.TOTPKeys != "" {
		keys, err := sealing.Parse(c.TOTPKeys)
		if err == nil {
			err = c.RefuseDemo("TOTP_KEYS", "key", keys.AnyBeginsWith(settings.DemoPrefix))
		}
		if err != nil {
			return fmt.Errorf("TOTP_KEYS: %w", err)
		}
		c.AppKeys = &keys
	}
	public, err := url.Parse(c.PublicURL)
	if err != nil || !c.Passkeys {
		return nil //nolint:nilerr // reported already
	}
	if _, err := netip.ParseAddr(public.Hostname()); err == nil {
		return nil // for addresses browsers have no passkeys
	}
	if c.Party, err = passkey.New(public); err != nil {
		return fmt.Errorf("PUBLIC_URL: %w; or set PASSKEYS=false", err)
	}
	return nil
}

// readMail reads SMTP_URL and MAIL_FROM. Its error does not contain the URL.
func (c *Config) readMail() error {
	if c.SMTPURL == "" {
		return nil
	}
	public, err := url.Parse(c.PublicURL)
	if err != nil {
		return nil //nolint:nilerr // reported already
	}
	if c.Mail, err = mail.New(c.SMTPURL, c.MailFrom, public); err != nil {
		return fmt.Errorf("SMTP_URL, MAIL_FROM: %w", err)
	}
	return nil
}

// Passwords reports whether people may sign in with one.
func (c Settings) Passwords() bool {
	yes, err := strconv.ParseBool(c.LocalSignIn)
	return yes || err != nil && c.OIDCIssuer == ""
}

// readDomains reads OIDC_DOMAINS.
func (c *Config) readDomains() error {
	c.Domains = map[string]people.Domain{}
	var errs []error
	for entry := range strings.SplitSeq(c.OIDCDomains, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		domain, rest, _ := strings.Cut(entry, "=")
		org, rest, _ := strings.Cut(rest, ":")
		role, claim, claimed := strings.Cut(rest, ":")
		known, err := tokens.ParseRole(role)
		d := people.Domain{Organization: tokens.OrgID(org), Role: known}
		name, value, _ := strings.Cut(claim, "=")
		switch {
		case claimed && value != "" && name == "hd":
			d.HostedDomain = value
		case claimed && value != "" && name == "tid":
			d.TenantID = value
		case claimed:
			err = errors.New("a claim that is not known")
		case c.OIDCIssuer == google:
			d.HostedDomain = domain
		}
		if _, ok := publicid.Parse("org", org); !ok || err != nil || !strings.Contains(domain, ".") {
			errs = append(errs,
				fmt.Errorf("OIDC_DOMAINS: %q is not like example.com=org_…:member, or with :hd=example.com "+
					"or :tid=… behind it",
					entry))
			continue
		}
		c.Domains[strings.ToLower(domain)] = d
	}
	return errors.Join(errs...)
}

// google is an issuer that also verifies addresses in domains that others
// manage. Only its claim hd proves that the domain's owner manages an account.
const google = "https://accounts.google.com"

// checkURL wants https, except on one's own machine.
func (c Settings) checkURL(name, text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%s must be a URL such as https://quayside.example.com", name)
	case u.Scheme == "http" && !loopback(u.Hostname()) && !c.Demo:
		return fmt.Errorf("%s must be https: passwords and sessions would travel in clear; http is for localhost, "+
			"or with QUAYSIDE_DEMO=true", name)
	}
	return nil
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && a.IsLoopback()
}

// Permissions are needed by whatever reads or grants permissions: the built-in
// ones and those of SERVICE_PERMISSIONS. A pattern that matches no file is no
// error: then there is no further service.
func Permissions(c *Config) error {
	paths, err := filepath.Glob(c.ServicePermissions)
	isPattern := strings.ContainsAny(c.ServicePermissions, "*?[")
	if err == nil && len(paths) == 0 && c.ServicePermissions != "" && !isPattern {
		err = fmt.Errorf("there is no file %s", c.ServicePermissions)
	}
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
		return fmt.Errorf("SERVICE_PERMISSIONS: %w", err)
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
