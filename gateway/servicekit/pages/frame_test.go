package pages

import (
	"html/template"
	"net/netip"
	"testing"
)

// TestAddressesBreakAtTheirPunctuation, and are escaped nevertheless.
func TestAddressesBreakAtTheirPunctuation(t *testing.T) {
	t.Parallel()
	for address, want := range map[any]template.HTML{
		"anna@mail.acme.example":           "anna@<wbr>mail<wbr>.acme<wbr>.example",
		netip.MustParseAddr("2001:db8::7"): "2001:<wbr>db8:<wbr>:<wbr>7",
		`"<b>&'@x.example`:                 "&#34;&lt;b&gt;&amp;&#39;@<wbr>x<wbr>.example",
	} {
		if got := soft(address); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
