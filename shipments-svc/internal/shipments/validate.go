package shipments

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/text/plaintext"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Bounds of a shipment and its parts, beside those of package list.
const (
	MaxBytes        = 8 << 20 // of all pallets, as they are stored
	MaxCheckDetails = 2_000   // code points
	MaxLocations    = 100
)

// TextFaults returns what is wrong with a text that must show something, in at
// most limit code points: nothing, or one fault, with a pointer from at.
func TextFaults(at, name, value string, limit int) []Fault {
	var f faults
	f.text(at, name, value, limit)
	return f
}

type faults []Fault

func (f *faults) add(code FaultCode, pointer, format string, args ...any) {
	*f = append(*f, Fault{Code: code, Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

func (f *faults) pallets(at string, all []Pallet) {
	if len(all) > list.MaxPallets {
		f.add(TooManyPallets, at, "a shipment has at most %d pallets, not %d", list.MaxPallets, len(all))
		return
	}
	for i, p := range all {
		f.pallet(fmt.Sprintf("%s/%d", at, i), p)
	}
}

func (f *faults) pallet(at string, p Pallet) {
	f.text(at, "pallet_number", p.Number, list.MaxPalletNumber)
	f.text(at, "produce_name", p.ProduceName, list.MaxProduceName)
	f.text(at, "calibre", p.Calibre, list.MaxCalibre)
	if p.Boxes < 1 || p.Boxes > list.MaxBoxes {
		f.add(OutOfRange, at+"/boxes", "boxes must be a whole number from 1 to %d", list.MaxBoxes)
	}
	if p.BoxWeight < 1 || p.BoxWeight > list.MaxBoxWeight {
		f.add(OutOfRange, at+"/box_weight_kg", "box_weight_kg must be more than 0 and at most %d", list.MaxBoxWeight/1000)
	}
}

// text validates a required text of at most limit code points.
func (f *faults) text(at, name, value string, limit int) {
	pointer := at + "/" + name
	switch length := utf8.RuneCountInString(value); {
	case !utf8.ValidString(value):
		f.add(InvalidText, pointer, "%s must be valid UTF-8", name)
	case plaintext.Blank(value):
		f.add(Required, pointer, "%s is required", name)
	case strings.ContainsFunc(value, plaintext.Control):
		f.add(InvalidText, pointer, "%s must not contain control characters, such as line breaks and tabs", name)
	case strings.ContainsFunc(value, plaintext.ChangesDirection):
		f.add(InvalidText, pointer, "%s must not contain characters that change the direction of text, such as U+202E", name)
	case length > limit:
		f.add(TooLong, pointer, "%s must have at most %d characters, not %d", name, limit, length)
	}
}

// Join joins texts by commas.
func Join[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}
