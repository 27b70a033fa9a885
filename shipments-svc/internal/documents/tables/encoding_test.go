package tables

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// TestEncodingsWithoutAMark: the encoding is the one in which the letters of words
// are those of a language; other than the usual two it is a warning.
func TestEncodingsWithoutAMark(t *testing.T) {
	t.Parallel()
	for text, in := range map[string]*charmap.Charmap{
		"Kayısı":                     charmap.Windows1254,
		"Ürün,Çeşit,Ağırlık,İĞŞ":     charmap.Windows1254,
		"Variété,Poids net,Pêche":    charmap.Windows1252,
		"Piña,Año,Señor,Limón,Açaí":  charmap.Windows1252,
		"Maçã,Órgão,Nº caixas,1ª":    charmap.Windows1252,
		"L’œuvre – pêche, 5 € l'Huî": charmap.Windows1252,
		"Gewig vir reëls, hoë, môre": charmap.Windows1252,
	} {
		if got, notes := decodedAs(t, in, text); got != text || notes != NoteEncoding {
			t.Errorf("%s of %s is %s: %s", text, in, got, notes)
		}
	}
	for text, in := range map[string]*charmap.Charmap{
		"Piña,Año,Señor,Limón":        charmap.CodePage850,
		"Variété,Pêche,Poids net":     charmap.CodePage850,
		"Jabłka,Gruszki żółte,Śliwki": charmap.Windows1250,
		"Třešně,Švestky":              charmap.Windows1250,
	} {
		if got, notes := decodedAs(t, in, text); got != text || notes != NoteEncodingUnclear {
			t.Errorf("%s of %s is %s: %s", text, in, got, notes)
		}
	}
	for text, in := range map[string]*charmap.Charmap{
		"Piña,Maracujá": charmap.Macintosh, "Μήλα,Αχλάδια": charmap.Windows1253,
	} {
		if _, notes := decodedAs(t, in, text); notes != NoteEncodingUnclear {
			t.Errorf("%s of %s: %s", text, in, notes)
		}
	}
	broken := "Variété,Pêche,Kayısı\xff,x"
	if got, notes := noted(t, broken); notes != NoteEncodingUnclear {
		t.Errorf("UTF-8 with a broken character is %s: %s", got, notes)
	}
}

// TestOddBytesOfTextsAreReadAndNoted as what spreadsheets open.
func TestOddBytesOfTextsAreReadAndNoted(t *testing.T) {
	t.Parallel()
	const list = "Pallet;Boxes\nP1;80\nP2;80\nP3;80\nP4;80\nP5;80\nP6;80\nP7;80\nP8;80\nP9;80\nP10;80\nP11;80\n" +
		"P12;80\nP13;80\nP14;80\nP15;80\n"
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		if got, notes := decodedAs(t, unicode.UTF16(order, unicode.IgnoreBOM), list); got != list || notes != "" {
			t.Errorf("UTF-16 without a mark is %q: %s", got, notes)
		}
	}
	for _, c := range []string{"\x1d", "\x07", "\x00"} {
		if got, notes := noted(t, c+list); got != c+list || notes != NoteEncodingUnclear {
			t.Errorf("with %q: %q: %s", c, got, notes)
		}
	}
}

func decodedAs(t *testing.T, in encoding.Encoding, text string) (got, notes string) {
	t.Helper()
	raw, err := in.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return noted(t, raw)
}

func noted(t *testing.T, raw string) (got, notes string) {
	t.Helper()
	b := &book{ctx: t.Context()}
	got, err := b.decoded([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, n := range b.Notes {
		codes = append(codes, n.Code)
	}
	return got, strings.Join(codes, " ")
}
