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

// breaks are where lines may break in an address.
var breaks = strings.NewReplacer("@", "@<wbr>", ".", "<wbr>.", ":", ":<wbr>")

// soft returns an e-mail or IP address whose lines break at its punctuation.
func soft(address any) template.HTML {
	//nolint:gosec // G203: it is escaped
	return template.HTML(breaks.Replace(template.HTMLEscapeString(fmt.Sprint(address))))
}
