package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// comparable are the kinds of facts that all papers of a shipment must agree
// about, in this order.
var comparable = []struct {
	kind   shipments.FactKind
	name   string
	result shipments.Result           // where they differ
	all    bool                       // all that one paper names, the other must; else one is enough
	plain  func(text string) []string // what two spellings have in common
}{
	{shipments.ContainerFact, "container", shipments.Fail, true, containerNumbers},
	{shipments.SealFact, "seal", shipments.Fail, false, code},
	{shipments.InvoiceFact, "invoice number", shipments.Fail, false, code},
	{shipments.PhytoFact, "number of the phytosanitary certificate", shipments.Fail, false, code},
	{shipments.BillOfLadingFact, "number of the bill of lading", shipments.Fail, false, code},
	{shipments.VesselFact, "vessel", shipments.Warn, false, vessel},
	{shipments.VoyageFact, "voyage", shipments.Warn, false, code},
	{shipments.PortOfLoadingFact, "port of loading", shipments.Warn, false, port},
	{shipments.PortOfDischargeFact, "port of discharge", shipments.Warn, false, port},
}

// statement is what the papers of one type say of one thing.
type statement struct {
	who    string // "packing list"
	texts  []string
	plain  []string
	source []shipments.Location
}

// documentsConsistent compares what the papers of a shipment say of it: papers
// of different types with each other, and the vessel with the shipment's own.
// Numbers that identify something must be the same; names may be written
// differently, so a difference is worth a look. Boxes and weights of other
// papers are compared with the sums of the packing lists.
func documentsConsistent(e subject) finding {
	f := finding{result: shipments.Pass}
	var agreed, said []string
	differ := func(r shipments.Result, text string, where ...shipments.Location) {
		said = append(said, text)
		f.where = append(f.where, where...)
		f.count++
		if f.result != shipments.Fail {
			f.result = r
		}
	}
	for _, c := range comparable {
		var all []statement
		if c.kind == shipments.VesselFact && e.Vessel != "" {
			all = append(all, statement{who: "shipment", texts: []string{e.Vessel}, plain: vessel(e.Vessel)})
		}
		for _, t := range shipments.DocumentTypes {
			if s := stated(e, t, c.kind, c.plain); s.texts != nil {
				all = append(all, s)
			}
		}
		if len(all) < 2 {
			continue
		}
		other := slices.IndexFunc(all[1:], func(s statement) bool { return !agree(all[0], s, c.all, c.kind == shipments.VesselFact) })
		if other < 0 {
			agreed = append(agreed, c.name)
			continue
		}
		s := all[1+other]
		differ(c.result, fmt.Sprintf("the %s is %s on the %s and %s on the %s", c.name, listed(all[0].texts), all[0].who, listed(s.texts), s.who),
			append(all[0].source, s.source...)...)
	}
	agreed = append(agreed, amounts(e, differ)...)
	switch {
	case said != nil:
		f.details = sentence(strings.Join(first(said), "; "))
		return f
	case agreed == nil:
		return skip("No two documents say the same thing, so none can differ.")
	default:
		return pass(sentence("the documents agree on: " + strings.Join(agreed, ", ")))
	}
}

// stated collects what the papers of a type say.
func stated(e subject, t shipments.DocumentType, kind shipments.FactKind, plain func(string) []string) statement {
	s := statement{who: strings.ReplaceAll(string(t), "_", " ")}
	add := func(text string, at shipments.Source) {
		for _, p := range plain(text) {
			if !slices.Contains(s.plain, p) {
				s.plain = append(s.plain, p)
				s.texts = append(s.texts, text)
				s.source = append(s.source, shipments.Location{Source: at})
			}
		}
	}
	for _, doc := range papersOf(e, t) {
		if kind == shipments.ContainerFact && doc.Declared.ContainerNumber != "" {
			add(doc.Declared.ContainerNumber, shipments.Source{Document: doc.ID})
		}
		for _, fact := range doc.Facts {
			if fact.Kind == kind {
				add(fact.Text, shipments.Source{Document: doc.ID, Sheet: fact.Sheet, Row: fact.Row})
			}
		}
	}
	s.texts = slices.Compact(s.texts)
	return s
}

// agree reports whether two statements do. With all, each must have what the
// other has; with part, it is enough that a name is a part of another.
func agree(a, b statement, all, part bool) bool {
	has := func(s statement, text string) bool {
		return slices.ContainsFunc(s.plain, func(other string) bool {
			return other == text || part && (strings.Contains(other, text) || strings.Contains(text, other))
		})
	}
	in := func(s statement) func(string) bool { return func(text string) bool { return has(s, text) } }
	out := func(s statement) func(string) bool { return func(text string) bool { return !has(s, text) } }
	if all {
		return !slices.ContainsFunc(a.plain, out(b)) && !slices.ContainsFunc(b.plain, out(a))
	}
	return slices.ContainsFunc(a.plain, in(b))
}

// code returns the letters and digits of a number.
func code(text string) []string {
	plain := strings.ToUpper(strings.Join(wordsOf(text), ""))
	if plain == "" {
		return nil
	}
	return []string{plain}
}

// vessel returns a ship's name without what stands before it, and its voyage.
func vessel(text string) []string {
	text, _, _ = strings.Cut(strings.ToLower(text), "/")
	words := wordsOf(text)
	if len(words) > 1 && slices.Contains([]string{"mv", "mn", "ms", "ss", "vessel"}, words[0]) {
		words = words[1:]
	}
	if len(words) > 2 && words[0] == "m" && (words[1] == "v" || words[1] == "n") {
		words = words[2:]
	}
	if words == nil {
		return nil
	}
	return []string{strings.Join(words, " ")}
}

// port returns the code of a port; a text that is about none of the table
// cannot be compared.
func port(text string) []string {
	byCode, byName := placesIn(text)
	switch {
	case byCode != nil:
		return []string{byCode.code}
	case byName != nil:
		return []string{byName.code}
	}
	return nil
}

var containerText = regexp.MustCompile(`[A-Z]{3}[UJZ]\d{7}`)

// containerNumbers returns the container numbers that a text has; a text
// without one is returned as its letters and digits, if it has any.
func containerNumbers(text string) []string {
	plain := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if found := containerText.FindAllString(plain, -1); found != nil {
		return found
	}
	return code(text)
}
