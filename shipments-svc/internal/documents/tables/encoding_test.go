package tables

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
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
