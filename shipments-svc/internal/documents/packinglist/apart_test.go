package packinglist

import (
	"strings"
	"testing"
)

// A line without a pallet number belongs to the pallet directly above only.
func TestLinesApartFromAPalletAreNotAddedToIt(t *testing.T) {
	t.Parallel()
	const heading, above, line = "Pallet No;Variety;Size;Cartons;Net kg/ctn", "P1;Hass;18;80;4\nP2;Hass;18;60;4",
		";Hass;20;20;4"
	for between, boxes := range map[string]string{
		"": "80 × 4000, P2 80", "\n": "80 × 4000, P2 60", "\nLOOSE CARTONS": "80 × 4000, P2 60",
		"\nConsignee: Fruits SA": "80 × 4000, P2 60",
		"\n" + heading:           "80 × 4000, P2 80",
	} {
		content := heading + "\n" + above + between + "\n" + line
		if got := pallets(t, content); got != "P1 "+boxes+" × 4000" {
			t.Errorf("%q: %s", between, got)
		}
		warned := strings.Contains(warningsOf(listOf(t, content), nil), "directly above has a pallet number")
		if warned != strings.HasSuffix(boxes, "P2 60") {
			t.Errorf("%q: %t", between, warned)
		}
	}
}

// A row whose label has no number, unlike all above, is a total or is not used.
func TestLabelsWithoutANumberAreNoPallets(t *testing.T) {
	t.Parallel()
	const three = "P1 80 × 4000, P2 60 × 4000, P3 80 × 4000"
	for rows, warning := range map[string]string{
		"TTL;Hass;18;140;560\nP3;Hass;20;80;320\nTTL;Hass;20;80;320": "",                         // groups
		"Kakuzi;Hass;18;140;560\nP3;Hass;20;80;320":                  "",                         // a group, and lines below
		"*;Hass;18;140;560\nP3;Hass;20;80;320\n-;Hass;18;220;880":    "",                         // signs
		"P3;Hass;20;80;320\nGesamt;Hass;18;220;880":                  "",                         // all
		"P3;Hass;20;80;320\nΣ;;;260;":                                "260 boxes declared",       // amounts only
		"P3;Hass;20;80;320\nNote;Hass;18;141;560":                    "its label has no number",  // neither
		"Kakuzi;Hass;18;140;560\nP3;Hass;20;80;320\nTTL;;;250;":      "250 boxes declared, 220 ", // not the sum of both
	} {
		content := "Pallet No;Variety;Size;Cartons;Net kg\nP1;Hass;18;80;320\nP2;Hass;18;60;240\n" + rows
		if got := pallets(t, content); got != three {
			t.Errorf("%q: %s", rows, got)
		}
		if got := warningsOf(listOf(t, content), nil); warning == "" && strings.Contains(got, "declared") ||
			!strings.Contains(got, warning) {
			t.Errorf("%q: %s", rows, got)
		}
	}
	for content, want := range map[string]string{
		"A;Hass;18;80;320\nB;Hass;18;80;320\nC;Hass;18;160;640": "A 80 × 4000, B 80 × 4000, C 160 × 4000",
		// no label has a number
		"P1;Hass;18;30;120\n-;Hass;20;30;120\nP2;Hass;18;60;240": "P1 60 × 4000, P2 60 × 4000", // a ditto sign
	} {
		if got := pallets(t, "Pallet No;Variety;Size;Cartons;Net kg\n"+content); got != want {
			t.Errorf("%q: %s", content, got)
		}
	}
}
