package shipments

import "strings"

// ssccDigits is the length of a Serial Shipping Container Code (GS1 General
// Specifications, 3.3.1).
const ssccDigits = 18

// Label returns the SSCC of a pallet: the one that its document names, or its number if
// that is one.
func (p Pallet) Label() (string, bool) {
	if p.SSCC != "" {
		return SSCC(p.SSCC)
	}
	return SSCC(p.Number)
}

// SSCC returns the eighteen digits of a label that is written like an SSCC:
// bare, with spaces, or after its application identifier, 00 or (00). Whether
// the check digit is correct is not checked.
func SSCC(label string) (string, bool) {
	digits := strings.ReplaceAll(label, " ", "")
	if rest, ok := strings.CutPrefix(digits, "(00)"); ok {
		digits = rest
	} else if len(digits) == ssccDigits+2 {
		digits = strings.TrimPrefix(digits, "00")
	}
	if len(digits) != ssccDigits || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	return digits, true
}
