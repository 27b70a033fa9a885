package pages

import (
	"fmt"
	"html/template"
	"strings"
)

// Frame is what the layout shows around a page. Data of a page embeds it.
type Frame struct {
	Title        string
	Notice       string        // of what was done just now; "": nothing
	Account      *Account      // nil: no person is signed in
	Organization *Organization // nil: the page is of none
	Tabs         []Link        // the sections of the organization
}

// Account is the menu of the signed-in person.
type Account struct {
	Name, Email string
	Links       []Link
}

// Organization is the menu of the organization at hand.
type Organization struct {
	Name   string
	Hint   string // such as the person's role; may be empty
	Others []Link // all organizations of the person
}

// Link is an entry of a menu.
type Link struct {
	Text, To string
	Current  bool
	ID       string // in the page; may be empty
}

// Section is a section of an organization.
type Section string

// The sections that the services of the product have.
const (
	Shipments Section = "shipments"
	API       Section = "api"
	Members   Section = "members"
	AuditLog  Section = "audit-log"
)

// Sections returns the tabs of an organization, of which one is the page's. The audit log
// is for roles that may read it.
func Sections(org string, current Section, audit bool) []Link {
	tabs := []Link{
		{Text: "Shipments", To: "/shipments/" + org, Current: current == Shipments},
		{Text: "API", To: "/settings/" + org + "/api", Current: current == API},
		{Text: "Members", To: "/settings/" + org + "/members", Current: current == Members},
	}
	if audit {
		tabs = append(tabs, Link{Text: "Audit log", To: "/settings/" + org + "/audit-log", Current: current == AuditLog})
	}
	return tabs
}

// breaks are where lines may break in an address.
var breaks = strings.NewReplacer("@", "@<wbr>", ".", "<wbr>.", ":", ":<wbr>")

// soft returns an e-mail or IP address whose lines break at its punctuation.
func soft(address any) template.HTML {
	//nolint:gosec // G203: it is escaped
	return template.HTML(breaks.Replace(template.HTMLEscapeString(fmt.Sprint(address))))
}
