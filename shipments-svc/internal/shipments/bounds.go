package shipments

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// allParts selects all parts of a shipment but the pallets of a document. The database counts more bytes than MaxBytes.
func allParts(but DocumentID) Parts { return Parts{Pallets: 2 * MaxBytes, Document: but} }

// tooLargeToCheck is the check of a shipment whose pallets are too many to be read, from before they were bounded.
var tooLargeToCheck = Check{
	Name: "shipment_size", Result: Fail, Details: "The pallets of the shipment have more lines than can be checked. " +
		"Delete documents, and attach them to other shipments.",
}

// beyond returns which bound the shipment would exceed with these pallets in place of some that it has; "": none.
func (r *Revision) beyond(pallets []Pallet, replaced int) string {
	total := r.To.PalletsCount - replaced + len(pallets)
	switch {
	case len(pallets) == 0:
		return ""
	case total > list.MaxPallets:
		return fmt.Sprintf("A shipment has at most %d pallets; with these it would have %d.", list.MaxPallets, total)
	case r.pallets == nil:
		return tooLargeToCheck.Details
	default:
		return Beyond(slices.Concat(r.pallets, pallets))
	}
}

// Beyond returns which bound of lines and bytes the pallets of a shipment exceed; "": none.
func Beyond(pallets []Pallet) string {
	lines, bytes := 0, 0
	for _, p := range pallets {
		of := max(len(p.Contents), 1)
		lines, bytes = lines+of, bytes+lineBytes*of+texts(p)
	}
	switch {
	case lines > list.MaxLines:
		return fmt.Sprintf("The pallets of a shipment have at most %d lines; with these it would have %d.",
			list.MaxLines, lines)
	case bytes > MaxBytes:
		return fmt.Sprintf("The pallets of a shipment have at most %d bytes; with these it would have %d.", MaxBytes, bytes)
	default:
		return ""
	}
}

// lineBytes is what a line takes beside its texts, as it is stored.
const lineBytes = 200

// texts returns how many bytes the texts of a pallet have.
func texts(p Pallet) (n int) {
	leaves(reflect.ValueOf(p), func(v reflect.Value) {
		if v.Kind() == reflect.String {
			n += v.Len()
		}
	})
	return n
}

// leaves yields the values that a value of structs and slices is made of.
func leaves(v reflect.Value, yield func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			leaves(v.Index(i), yield)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			leaves(field, yield)
		}
	default:
		yield(v)
	}
}

// stated returns the facts and remarks of a document that are kept: together MaxStated bytes.
func stated(facts []list.Fact, remarks []list.Remark) ([]list.Fact, []list.Remark) {
	left := MaxStated
	cut := func(text string) bool {
		left -= len(text)
		return left < 0
	}
	if i := slices.IndexFunc(facts, func(f list.Fact) bool { return cut(f.Text) }); i >= 0 {
		facts = facts[:i]
	}
	if i := slices.IndexFunc(remarks, func(r list.Remark) bool { return cut(r.Text) }); i >= 0 {
		remarks = append(slices.Clone(remarks[:i]), list.Remark{
			Code: "remarks_left_out", Text: fmt.Sprintf("%d further remarks are not kept", len(remarks)-i),
		})
	}
	return facts, remarks
}
