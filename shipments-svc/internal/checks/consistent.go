package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// comparison is a fact that all documents of a shipment must agree on.
type comparison struct {
	kind      list.FactKind
	name      string
	result    shipments.Result           // of a difference
	agree     func(a, b []string) bool   // of canonical values
	canonical func(text string) []string // equal for two spellings of one value
}

var comparable = []comparison{
	{list.ContainerFact, "container", shipments.Fail, sameValues, containerNumbers},
	{list.SealFact, "seal", shipments.Fail, inCommon, code},
	{list.InvoiceFact, "invoice number", shipments.Fail, inCommon, code},
	{list.PhytoFact, "number of the phytosanitary certificate", shipments.Fail, inCommon, code},
	{list.BillOfLadingFact, "number of the bill of lading", shipments.Fail, inCommon, code},
	{list.VesselFact, "vessel", shipments.Warn, sameVessel, vessel},
	{list.VoyageFact, "voyage", shipments.Warn, inCommon, code},
	{list.PortOfLoadingFact, "port of loading", shipments.Warn, inCommon, port},
	{list.PortOfDischargeFact, "port of discharge", shipments.Warn, inCommon, port},
}

// statement is what the documents of one type state about one fact.
type statement struct {
	document  shipments.DocumentType // or "shipment"
	texts     []string
	canonical []string
	places    []shipments.Location
}

// documentsConsistent compares facts between documents of different types, vessel and
// voyage also with those of the shipment, and the totals of other documents with
// the sums of the packing lists. Identifiers must be equal; names may be spelled
// differently, so their differences are warnings. It also warns of documents that are
// not what their type says.
func documentsConsistent(s subject) finding {
	var f finding
	for _, doc := range s.Documents {
		if !recognized(doc) {
			i := slices.IndexFunc(comparable, func(c comparison) bool { return c.kind == identifying[doc.Type][0] })
			f.report(shipments.Warn, fmt.Sprintf("the %s %q does not count as one: it states no %s",
				documentName(s, doc), doc.Filename, comparable[i].name))
		}
	}
	var agreed []string
	for _, c := range comparable {
		var all []statement
		own := map[list.FactKind]string{list.VesselFact: s.Vessel, list.VoyageFact: s.Voyage}[c.kind]
		if own != "" {
			all = append(all, statement{document: "shipment", texts: []string{own}, canonical: c.canonical(own)})
		}
		for _, t := range shipments.DocumentTypes {
			if st := statementOf(s, t, c.kind, c.canonical); st.texts != nil {
				all = append(all, st)
			}
		}
		if len(all) < 2 {
			continue
		}
		first := all[0]
		i := slices.IndexFunc(all[1:], func(st statement) bool { return !c.agree(first.canonical, st.canonical) })
		if i < 0 {
			agreed = append(agreed, c.name)
			continue
		}
		other := all[1+i]
		if own != "" {
			f.suggest(string(c.kind), all[1:], func(st statement) bool { return !c.agree(first.canonical, st.canonical) })
		}
		f.report(c.result, fmt.Sprintf("the %s is %s on the %s and %s on the %s",
			c.name, listed(first.texts), typeName(first.document), listed(other.texts), typeName(other.document)))
		f.places = slices.Concat(f.places, first.places, other.places)
	}
	for _, q := range []quantity{palletCount, boxTotal, netWeight} {
		if len(s.Pallets) > 0 && q.compareStated(s, &f) {
			agreed = append(agreed, q.name)
		}
	}
	if agreed == nil {
		return f.or(shipments.Skip, "No two documents state the same fact.")
	}
	return f.or(shipments.Pass, sentence("the documents agree on: "+strings.Join(agreed, ", ")))
}

// suggest suggests for a text of the shipment what documents state that differ, if each states one value.
func (f *finding) suggest(field string, all []statement, differs func(statement) bool) {
	i := slices.IndexFunc(shipments.TextFields, func(t shipments.TextField) bool { return t.Name == field })
	for _, st := range all {
		value := strings.TrimSpace(vesselPrefix.ReplaceAllString(st.texts[0], ""))
		again := func(s shipments.Suggestion) bool { return s.Field == field && s.Value == value }
		if !differs(st) || len(st.texts) > 1 || slices.ContainsFunc(f.suggestions, again) {
			continue
		}
		if utf8.RuneCountInString(value) <= shipments.TextFields[i].Max {
			f.suggestions = append(f.suggestions, shipments.Suggestion{Field: field, Value: value, Document: st.document})
		}
	}
}

// statementOf collects what the documents of a type state.
func statementOf(s subject, t shipments.DocumentType, kind list.FactKind,
	canonical func(string) []string,
) statement {
	st := statement{document: t}
	add := func(text string, at shipments.Source) {
		if text == "" {
			return
		}
		for _, c := range canonical(text) {
			if !slices.Contains(st.canonical, c) {
				st.canonical = append(st.canonical, c)
				st.texts = append(st.texts, text)
				st.places = append(st.places, shipments.Location{Source: at})
			}
		}
	}
	for _, p := range s.Pallets {
		if t == shipments.PackingList && kind == list.ContainerFact {
			add(p.Container, p.Source)
		} else if t == shipments.PackingList && kind == list.SealFact {
			add(p.Seal, p.Source)
		}
	}
	for _, doc := range documentsOf(s, t) {
		if kind == list.ContainerFact {
			add(doc.Declared.ContainerNumber, shipments.Source{Document: doc.ID})
		}
		for _, fact := range doc.Facts {
			if fact.Kind == kind {
				add(fact.Text, shipments.Source{Document: doc.ID, Sheet: fact.Sheet, Row: fact.Row})
			}
		}
	}
	st.texts = slices.Compact(st.texts)
	return st
}

// sameValues reports whether two documents name the same set.
func sameValues(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(value string) bool { return !slices.Contains(b, value) })
}

// inCommon reports whether two documents have a value in common.
func inCommon(a, b []string) bool {
	return slices.ContainsFunc(a, func(value string) bool { return slices.Contains(b, value) })
}

// sameVessel is inCommon of names, of which one may be a part of the other.
func sameVessel(a, b []string) bool {
	return inCommon(a, b) || slices.ContainsFunc(a, func(name string) bool {
		return slices.ContainsFunc(b, func(other string) bool { return names(other, name) || names(name, other) })
	})
}

// code returns the letters and digits of an identifier.
func code(text string) []string {
	if plain := strings.ToUpper(strings.Join(reference.Words(text), "")); plain != "" {
		return []string{plain}
	}
	return nil
}

// vesselPrefix matches "M/V ", "MV ", "m.v. ", "SS ", "Vessel: ".
var vesselPrefix = regexp.MustCompile(`(?i)^\s*(?:m[./]?[vns]|s[./]?s|vessel)\b[.:]*\s+`)

// vessel returns the name of a vessel without its prefix and voyage.
func vessel(text string) []string {
	name, _, _ := strings.Cut(vesselPrefix.ReplaceAllString(text, ""), "/")
	if words := reference.Words(name); len(words) > 0 {
		return []string{strings.Join(words, " ")}
	}
	return nil
}

// ofLines are the words that the names of many vessels of a shipping line have.
var ofLines = strings.Fields(
	"msc maersk cma cgm hapag lloyd cosco oocl evergreen ever one hmm hyundai zim yang ming ym wan hai pil apl nyk mol",
)

// names reports whether a part has only words of a vessel's name, and one that tells it from others of its line.
func names(vessel, part string) bool {
	words, unique := strings.Fields(vessel), false
	for word := range strings.FieldsSeq(part) {
		if !slices.Contains(words, word) {
			return false
		}
		unique = unique || !slices.Contains(ofLines, word)
	}
	return unique
}

// separators are those of container numbers.
var separators = strings.NewReplacer(" ", "", "-", "")

var containerText = regexp.MustCompile(`[A-Z]{3}[UJZ]\d{7}`)

// containerNumbers returns the container numbers in a text, or else its letters
// and digits.
func containerNumbers(text string) []string {
	plain := strings.ToUpper(separators.Replace(text))
	if found := containerText.FindAllString(plain, -1); found != nil {
		return found
	}
	return code(text)
}

// containersOf returns the distinct container numbers that documents declare or
// name, as letters and digits.
func containersOf(s subject) (all []string) {
	for _, t := range shipments.DocumentTypes {
		for _, number := range statementOf(s, t, list.ContainerFact, containerNumbers).canonical {
			if !slices.Contains(all, number) {
				all = append(all, number)
			}
		}
	}
	return all
}

// containerNumber fails where a container number is invalid.
func containerNumber(s subject) finding {
	containers := containersOf(s)
	if len(containers) == 0 {
		return skip("No document names a container.")
	}
	var f finding
	for _, number := range containers {
		if problem := containerProblem(number); problem != "" {
			f.report(shipments.Fail, number+": "+problem)
		}
	}
	return f.or(shipments.Pass, sentence(listed(containers)+": check digit is correct"))
}

// containerProblem describes the fault of a container number; "" for none.
// ISO 6346: three letters of the owner, a category U, J or Z, six digits and a
// check digit.
func containerProblem(number string) string {
	const length, letters = 11, 4
	if len(number) != length || strings.Trim(number[:letters], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" ||
		strings.Trim(number[letters:], "0123456789") != "" {
		return "expected four letters and seven digits"
	}
	if category := number[letters-1]; !strings.ContainsRune("UJZ", rune(category)) {
		return fmt.Sprintf("category is %c, expected U, J or Z", category)
	}
	if want := containerDigit(number[:length-1]); number[length-1] != want {
		return fmt.Sprintf("check digit is %c, expected %c", number[length-1], want)
	}
	return ""
}

// containerDigit returns the check digit of ISO 6346, annex A: values times
// powers of two, modulo 11, modulo 10. Letters have the values from 10 up,
// without multiples of 11.
func containerDigit(number string) byte {
	sum := 0
	for i := range len(number) {
		value := int(number[i] - '0')
		if letter := number[i]; letter >= 'A' {
			value = 10 + int(letter-'A')
			value += (value - 1) / 10 // skips 11, 22 and 33
		}
		sum += value << i
	}
	return '0' + byte(sum%11%10)
}
