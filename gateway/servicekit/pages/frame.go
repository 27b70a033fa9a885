package pages

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Frame is what the layout shows around a page. Data of a page embeds it.
type Frame struct {
	Title        string
	Notice       string        // of what was done just now; "": nothing
	Test         bool          // the page shows test data
	Account      *Account      // nil: no person is signed in
	Organization *Organization // nil: the page is of none
	Tabs         []Link        // the sections of the organization
}

// Account names the signed-in person, whose menu is the same on all pages.
type Account struct{ Name, Email string }

// Organization names the organization at hand, whose name leads to all of the person's.
type Organization struct{ Name string }

// Link is an entry of a menu.
type Link struct {
	Text, To string
	Current  bool
}

// Section is a section of an organization.
type Section string

// The sections that the services of the product have.
const (
	Shipments Section = "shipments"
	Webhooks  Section = "webhooks"
	API       Section = "api"
	Members   Section = "members"
	AuditLog  Section = "audit-log"
	Settings  Section = "organization"
)

// Sections returns the tabs of an organization that a person with these permissions may
// see, of which one is the page's.
func Sections(org string, current Section, permissions []string) (tabs []Link) {
	for _, tab := range []struct {
		text, to string
		section  Section
		needs    string // a permission; "": none
	}{
		{"Shipments", "/shipments/" + org, Shipments, ""},
		{"API", "/settings/" + org + "/api", API, ""},
		{"Webhooks", "/webhooks/" + org, Webhooks, "webhooks:manage"},
		{"Members", "/settings/" + org + "/members", Members, ""},
		{"Audit log", "/settings/" + org + "/audit-log", AuditLog, "audit:read"},
	} {
		if tab.needs == "" || slices.Contains(permissions, tab.needs) {
			tabs = append(tabs, Link{Text: tab.text, To: tab.to, Current: current == tab.section})
		}
	}
	return append(tabs, Link{
		Text: "Organization", To: "/settings/" + org + "/organization", Current: current == Settings,
	})
}

// breaks are where lines may break in an address.
var breaks = strings.NewReplacer("@", "@<wbr>", ".", "<wbr>.", ":", ":<wbr>")

// soft returns an e-mail or IP address whose lines break at its punctuation.
func soft(address any) template.HTML {
	//nolint:gosec // G203: it is escaped
	return template.HTML(breaks.Replace(template.HTMLEscapeString(fmt.Sprint(address))))
}
