package packinglist

import (
	"regexp"
	"slices"
	"strings"
)

// notShippedText matches texts about pallets that are listed and not shipped.
//
//nolint:misspell // the words are of other languages, too
var notShippedText = regexp.MustCompile(`\b(?:cancel|cancell?ed|void|rejected|rolled over|(?:not|short) (?:loaded|shipped|sent|dispatched)|` +
	`(?:anulad|cancelad|rechazad|rejeitad)[oa]s?|(?:no|nao) (?:embarcad|cargad|carregad|despachad|enviad)[oa]s?|` +
	`(?:do|did|does) not (?:load|ship|send|export)|off ?loaded|superseded|dumped|left behind|on hold|held|shut out|stand ?by|reserve pallets?|(?:next|previous) (?:load|vessel|voyage)|remaining in|reduced to|qc fail|examples?|template|ejemplo|exemple|exemplo|pendientes?|retid[oa]s?|quedo fuera|saldo en|restee? a quai|replaced (?:by|with)|removed from|` +
	`(?:minus|less|short|menos|moins) (?:of )?\d+|\d+ \pL+ (?:short|missing|less|faltantes?)|no va|quedan? en|retirad[oa]s?|reemplazad[oa]s?|` +
	`(?:annule|rejete|refuse|non (?:charge|expedie|embarque))e?s?|gekanselleer|afgekeur|nie gelaai|iptal)\b`)

// shippedText matches headings of columns that say yes or no.
var shippedText = regexp.MustCompile(`\b(?:loaded|shipped|dispatched|sent|embarcad[oa]s?|cargad[oa]s?|carregad[oa]s?|despachad[oa]s?|enviad[oa]s?|(?:charge|expedie|embarque)e?s?|gelaai|versend|yuklendi|sevk)\b`)

// denies reports whether the cell of a column denies that the pallet was shipped:
// Loaded: N; Cancelled: X.
func (s *sheet) denies(col int, text string) bool {
	if _, used := s.fieldAt(col); used || col >= len(s.header.folded) {
		return false
	}
	heading, value := s.header.folded[col], fold(text)
	no := slices.Contains([]string{"n", "no", "0", "false", "non", "nao", "nee", "hayır", "h", "falso", "faux"}, value)
	if notShippedText.MatchString(heading) {
		return !no && (value == "1" || !strings.ContainsFunc(value, isDigit))
	}
	return no && shippedText.MatchString(heading)
}

// shipped remarks on a cell of a line that may mean that the pallet was not shipped,
// in any column.
func (r *reader) shipped(s *sheet, i, col int) {
	text := s.Rows[i].Cells[col].Text
	if s.denies(col, text) {
		r.remark(NotShipped, s.at(i, col), "pallets that are listed may not have been shipped: %s: %s", s.header.headings[col], text)
		return
	}
	r.notShipped(text, s.at(i, col))
}

// notShipped remarks on a text that may mean that pallets were not shipped.
func (r *reader) notShipped(text string, at Place) {
	if notShippedText.MatchString(fold(text)) {
		r.remark(NotShipped, at, "pallets that are listed may not have been shipped: %s", text)
	}
}
