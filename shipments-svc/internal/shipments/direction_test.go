package shipments

import (
	"strings"
	"testing"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// bidiControls are the characters that change the direction of text.
var bidiControls = []rune("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

// TestDirectionMarksAreRefusedInEveryText, whichever the field.
func TestDirectionMarksAreRefusedInEveryText(t *testing.T) {
	t.Parallel()
	pallet := Pallet{Number: "1", ProduceName: "Hass", Calibre: "18", Boxes: 1, BoxWeight: 1}
	of := func(change func(*Attachment)) func(string) []Fault {
		return func(string) []Fault {
			a := Attachment{Type: PackingList, Pallets: []Pallet{pallet}}
			change(&a)
			return a.Faults()
		}
	}
	for _, r := range bidiControls {
		text := "a" + string(r) + "b"
		for at, faults := range map[string]func(string) []Fault{
			"/reference": func(s string) []Fault {
				return Draft{Reference: s, Vessel: "v", Origin: "o", Destination: "d"}.Faults()
			},
			"/vessel": func(s string) []Fault {
				return Draft{Reference: "r", Vessel: s, Origin: "o", Destination: "d"}.Faults()
			},
			"/origin": func(s string) []Fault {
				return Draft{Reference: "r", Vessel: "v", Origin: s, Destination: "d"}.Faults()
			},
			"/destination": func(s string) []Fault {
				return Draft{Reference: "r", Vessel: "v", Origin: "o", Destination: s}.Faults()
			},
			"/override_reason": func(s string) []Fault { return Approval{Override: &s}.Faults() },
			"/reason":          func(s string) []Fault { return Rejection{Reason: s}.Faults() },
			"/description":     func(s string) []Fault { return TextFaults("", "description", s, 100) },
			"/filename": func(s string) []Fault {
				return Attachment{Type: OtherDocument, File: &Upload{Filename: s, Size: 1}}.Faults()
			},
			"/pallets/0/pallet_number":   of(func(a *Attachment) { a.Pallets[0].Number = text }),
			"/pallets/0/produce_name":    of(func(a *Attachment) { a.Pallets[0].ProduceName = text }),
			"/pallets/0/calibre":         of(func(a *Attachment) { a.Pallets[0].Calibre = text }),
			"/declared/container_number": of(func(a *Attachment) { a.Declared.ContainerNumber = text }),
		} {
			if got := faults(text); len(got) != 1 || got[0].Code != InvalidText || got[0].Pointer != at ||
				!strings.Contains(got[0].Detail, "direction") {
				t.Errorf("%U in %s: %+v", r, at, got)
			}
		}
		if TextFaults("", "reference", text, 100) == nil {
			t.Errorf("%U in the filter of references", r)
		}
		if (Reading{Facts: []list.Fact{{Kind: "x", Text: text}}}).valid() {
			t.Errorf("%U in a reading", r)
		}
		if !unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%U", r)
		}
	}
}
