package checks

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

var list1, list2 = shipments.DocumentID{1}, shipments.DocumentID{2}

// evidence is a shipment with one packing list of these pallets.
func evidence(pallets ...shipments.Pallet) shipments.Evidence {
	for i := range pallets {
		pallets[i].Source = shipments.Source{Document: list1, Row: i + 1}
	}
	return shipments.Evidence{
		Draft: shipments.Draft{
			Reference: "PO", Vessel: "MSC Carmen", Origin: "Cape Town, South Africa",
			Destination: "Rotterdam, Netherlands",
		},
		Documents: []shipments.Document{{
			ID: list1, Type: shipments.PackingList, Status: shipments.Processed,
			RowsRead: len(pallets), PalletsExtracted: len(pallets),
		}},
		Pallets: pallets,
	}
}

// many returns n pallets of a number each and otherwise alike.
func many(n int) []shipments.Pallet {
	all := make([]shipments.Pallet, n)
	for i := range all {
		all[i] = pallet(fmt.Sprintf("%04d", i+1))
	}
	return all
}

func pallet(number string) shipments.Pallet {
	return shipments.Pallet{Number: number, ProduceName: "Avocado Hass", Calibre: "18", Boxes: 264, BoxWeight: 4000}
}

func numbered(numbers ...string) []shipments.Pallet {
	var all []shipments.Pallet
	for _, n := range numbers {
		all = append(all, pallet(n))
	}
	return all
}

// changed returns pallets of which some are changed.
func changed(all []shipments.Pallet, change func(*shipments.Pallet), indexes ...int) []shipments.Pallet {
	for _, i := range indexes {
		change(&all[i])
	}
	return all
}

func declared(e shipments.Evidence, d list.Declared) shipments.Evidence {
	e.Documents[0].Declared = d
	return e
}

// outcome is what a check must say of evidence.
type outcome struct {
	evidence shipments.Evidence
	want     string // result, count, rows of its locations, details
}

// run returns the outcome of a check as text.
func run(e shipments.Evidence, name string) string {
	for _, c := range Run(e) {
		if c.Name == name {
			var rows []int
			for _, l := range c.Locations {
				rows = append(rows, l.Row)
			}
			details, _, _ := strings.Cut(c.Details, " Basis: ")
			return fmt.Sprintf("%s %d %v %s", c.Result, c.Count, rows, details)
		}
	}
	return "no such check"
}

func TestFindings(t *testing.T) {
	t.Parallel()
	inContainer := func(p *shipments.Pallet) { p.Container = "CSQU3054383" }
	light := func(p *shipments.Pallet) { p.BoxWeight = 3500 }
	stated := loaded(240, 8801) // the average, rounded
	stated.Contents = []list.Content{
		{Boxes: 140, BoxWeight: 10_716, Particulars: list.Particulars{NetWeight: 1_500_245}},
		{Boxes: 100, BoxWeight: 6120},
	}
	for name, outcomes := range map[string][]outcome{
		"packing_list_present": {
			{shipments.Evidence{}, "fail 1 [] No packing list is attached."},
			{
				shipments.Evidence{Documents: []shipments.Document{{Type: shipments.OtherDocument}}},
				"fail 1 [] No packing list is attached.",
			},
			{evidence(many(1)...), "pass 0 [] 1 packing list with 1 pallet."},
			{evidence(many(1204)...), "pass 0 [] 1 packing list with 1,204 pallets."},
		},
		"required_fields": {
			{shipments.Evidence{}, "skip 0 [] There are no pallets to check."},
			{evidence(many(3)...), "pass 0 [] 3 pallets, no field is missing."},
			{
				evidence(changed(many(9), func(p *shipments.Pallet) { p.Calibre = "" }, 0, 2, 3, 4, 5, 6, 8)...),
				"fail 7 [1 3 4 5 6 7 9] Fields are missing on 7 pallets of Avocado Hass: calibre.",
			},
			{holding(evidence(changed(many(2), func(p *shipments.Pallet) { p.Calibre = "" }, 0, 1)...), "Blueberries Ventura", 0,
				1), "pass 0 [] 2 pallets, no field is missing."},
			{holding(evidence(changed(many(1), func(p *shipments.Pallet) { p.Calibre, p.Boxes = "", 0 }, 0)...), "Fine beans",
				0), "fail 1 [1] Fields are missing on row 1: boxes."},
		},
		"duplicate_pallets": {
			{shipments.Evidence{}, "skip 0 [] There are no pallets to check."},
			{evidence(many(24)...), "pass 0 [] 24 pallets, no duplicate pallet numbers."},
			{
				evidence(changed(many(31), func(p *shipments.Pallet) { p.Number = "0042" }, 6, 30)...),
				"fail 2 [7 31] Pallet 0042 appears on rows 7 and 31.",
			},
			{
				evidence(numbered("a 1", "B", "A1", "b", "(00)106141412345678908", "c", "106141412345678908")...),
				"fail 6 [1 3 2 4 5 7] Pallet a 1 appears on rows 1 and 3; pallet B appears on rows 2 and 4; pallet " +
					"(00)106141412345678908 appears on rows 5 and 7.",
			},
			{
				evidence(changed(numbered("1", "1", "1", "1"), inContainer, 1, 3)...),
				"fail 4 [1 3 2 4] Pallet 1 appears on rows 1 and 3; pallet 1 appears on rows 2 and 4.",
			},
			{
				evidence(slices.Concat(many(7), many(7))...),
				"fail 14 [1 8 2 9 3 10 4 11 5 12 6 13 7 14] Pallet 0001 appears on rows 1 and 8; pallet 0002 appears on rows 2 " +
					"and 9; pallet 0003 appears on rows 3 and 10; pallet 0004 appears on rows 4 and 11; pallet 0005 appears on " +
					"rows 5 and 12; and 2 more.",
			},
		},
		"sscc_check_digit": {
			{evidence(many(2)...), "skip 0 [] No pallet has an SSCC (18 digits)."},
			{evidence(numbered("106141412345678908", "P1")...), "pass 0 [] 1 SSCC checked, no check digit is wrong."},
			{
				evidence(numbered("106141412345678908", "(00) 106141412345678907")...),
				"fail 1 [2] SSCC 106141412345678907 (row 2): check digit is 7, expected 8.",
			},
		},
		"pallet_reuse": {
			{evidence(many(2)...), "skip 0 [] No pallet has an SSCC (18 digits); other numbers may be reused."},
			{
				evidence(numbered("106141412345678908")...),
				"pass 0 [] 1 SSCC checked, none used in another shipment of the last 12 months.",
			},
			{func() shipments.Evidence {
				e := evidence(numbered("P1", "106141412345678908")...)
				e.Reused = []shipments.Use{
					{SSCC: "106141412345678908", Reference: "PO-7"},
					{SSCC: "106141412345678908", Reference: "PO-9"},
					{SSCC: "x", Reference: "y"},
				}
				return e
			}(), "fail 1 [2] Pallet 106141412345678908 is also in shipment PO-7; pallet 106141412345678908 is also in " +
				"shipment PO-9."},
		},
		"pallet_count_declared": {
			{evidence(many(2)...), "skip 0 [] No packing list declares a number of pallets."},
			{declared(evidence(many(2)...), list.Declared{Pallets: 2}), "pass 0 [] 2 pallets declared, 2 pallets listed."},
			{
				declared(evidence(many(19)...), list.Declared{Pallets: 20}),
				"fail 1 [] 20 pallets declared, 19 pallets listed.",
			},
		},
		"box_total_declared": {
			{evidence(many(2)...), "skip 0 [] No packing list declares a number of boxes."},
			{
				declared(evidence(many(10)...), list.Declared{Boxes: 2640}),
				"pass 0 [] 2,640 boxes declared, 2,640 boxes listed.",
			},
			{
				declared(evidence(many(10)...), list.Declared{Boxes: 2641}),
				"fail 1 [] 2,641 boxes declared, 2,640 boxes listed.",
			},
		},
		"net_weight_declared": {
			{evidence(many(2)...), "skip 0 [] No packing list declares a net weight."},
			{
				declared(evidence(many(10)...), list.Declared{NetWeight: 10_600_000}),
				"pass 0 [] 10,600 kg declared, 10,560 kg listed.",
			},
			{
				declared(evidence(many(10)...), list.Declared{NetWeight: 10_700_500}),
				"warn 1 [] 10,700.5 kg declared, 10,560 kg listed.",
			},
			{
				declared(evidence(many(10)...), list.Declared{NetWeight: 9_000_000}),
				"fail 1 [] 9,000 kg declared, 10,560 kg listed.",
			},
			{
				declared(evidence(stated), list.Declared{NetWeight: 2_112_242}),
				"pass 0 [] 2,112.242 kg declared, 2,112.245 kg listed.",
			},
		},
		"boxes_per_pallet_outlier": {
			{evidence(many(3)...), "skip 0 [] Fewer than 4 pallets have the same produce and box weight."},
			{
				evidence(changed(many(20), func(p *shipments.Pallet) { p.Boxes = 132 }, 19)...),
				"pass 0 [] 20 pallets compared, no outliers.",
			},
			{
				evidence(changed(many(20), func(p *shipments.Pallet) { p.Boxes = 2640 }, 4)...),
				"warn 1 [5] Pallet 0005 (row 5) has 2,640 boxes (usual for Avocado Hass in boxes of 4 kg: 264).",
			},
		},
		"box_weight_consistent": {
			{evidence(many(1)...), "skip 0 [] No two pallets have the same produce and calibre."},
			{evidence(many(4)...), "pass 0 [] 4 pallets compared, box weights are consistent."},
			{
				evidence(changed(many(4), light, 2)...),
				"warn 1 [3] Pallet 0003 (row 3) has a box weight of 3.5 kg (usual for Avocado Hass 18: 4 kg).",
			},
		},
		"pallet_weight_plausible": {
			{shipments.Evidence{}, "skip 0 [] There are no pallets with a weight."},
			{evidence(changed(many(4), light, 1)...), "pass 0 [] 4 pallets, from 924 kg to 1,056 kg."},
			{
				evidence(changed(many(4), func(p *shipments.Pallet) { p.Boxes = 1 }, 3)...),
				"warn 1 [4] Pallet 0004 (row 4) weighs 4 kg net, less than 50 kg.",
			},
			{
				evidence(changed(many(4), func(p *shipments.Pallet) { p.Boxes = 376 }, 0)...),
				"fail 1 [1] Pallet 0001 (row 1) weighs 1,504 kg net, more than the safe working load of 1,500 kg.",
			},
		},
		"container_payload": {
			{shipments.Evidence{}, "skip 0 [] There are no pallets with a weight."},
			{evidence(many(20)...), "pass 0 [] 21,120 kg in 1 container with a payload of about 29,500 kg."},
			{evidence(many(40)...), "skip 0 [] 42,240 kg exceeds the payload of one container, and no document names the " +
				"containers."},
			{
				declared(evidence(many(29)...), list.Declared{ContainerNumber: "CSQU 305438-3"}),
				"warn 1 [] 30,624 kg exceeds the usual payload of 1 container, about 29,500 kg.",
			},
			{
				declared(evidence(many(40)...), list.Declared{ContainerNumber: "CSQU3054383"}),
				"fail 1 [] 42,240 kg exceeds the maximum payload of 1 container, 32,000 kg.",
			},
		},
		"container_number": {
			{evidence(many(1)...), "skip 0 [] No document names a container."},
			{
				declared(evidence(many(1)...), list.Declared{ContainerNumber: "csqu 305438-3"}),
				"pass 0 [] CSQU3054383: check digit is correct.",
			},
			{
				declared(evidence(many(1)...), list.Declared{ContainerNumber: "CSQU3054384"}),
				"fail 1 [] CSQU3054384: check digit is 4, expected 3.",
			},
			{
				declared(evidence(many(1)...), list.Declared{ContainerNumber: "CSQX3054383"}),
				"fail 1 [] CSQX3054383: category is X, expected U, J or Z.",
			},
			{
				declared(evidence(many(1)...), list.Declared{ContainerNumber: "ÜSQU305438"}),
				"fail 1 [] ÜSQU305438: expected four letters and seven digits.",
			},
		},
		"calibre_known": {
			{
				evidence(changed(many(2), func(p *shipments.Pallet) { p.ProduceName = "Table grapes" }, 0, 1)...),
				"skip 0 [] There is no produce with known calibres.",
			},
			{
				evidence(changed(many(3), func(p *shipments.Pallet) { p.ProduceName = "Dragon fruit" }, 0)...),
				"pass 0 [] 2 of 3 pallets compared with the calibres of their produce.",
			},
			{
				evidence(changed(many(3), func(p *shipments.Pallet) { p.Calibre = "" }, 0)...),
				"pass 0 [] 2 of 3 pallets compared with the calibres of their produce.",
			},
			{
				evidence(changed(many(3), func(p *shipments.Pallet) { p.Calibre = "19" }, 0, 2)...),
				"warn 2 [1 3] 19 is not a calibre of avocado (UNECE FFV-42, III) on rows 1 and 3.",
			},
		},
		"location_codes": {
			{
				shipments.Evidence{Draft: shipments.Draft{Origin: "a farm", Destination: "a shop"}},
				"skip 0 [] Neither origin nor destination is a known port.",
			},
			{evidence(many(1)...), "pass 0 [] Origin is ZACPT, destination is NLRTM."},
			{
				shipments.Evidence{Draft: shipments.Draft{Origin: "ZACPT", Destination: "NL RTM"}},
				"pass 0 [] Origin is ZACPT, destination is NLRTM.",
			},
			{
				shipments.Evidence{Draft: shipments.Draft{Origin: "Durban (ZACPT)", Destination: "?"}},
				"warn 1 [] The origin \"Durban (ZACPT)\" has the code of Cape Town but the name of Durban (ZADUR).",
			},
			{
				shipments.Evidence{Draft: shipments.Draft{Origin: "Rotterdam", Destination: "Port of Róterdam, NL"}},
				"warn 1 [] Origin and destination are the same: NLRTM.",
			},
		},
	} {
		for i, o := range outcomes {
			if got := run(o.evidence, name); got != o.want {
				t.Errorf("%s, %d:\n got %s\nwant %s", name, i, got, o.want)
			}
		}
	}
}

// TestBasis: details name the table or standard that was compared with, and its date,
// also where details are shortened.
func TestBasis(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"calibre_known": " Basis: UNECE standards for fresh fruit and vegetables, sections on sizing, editions of " +
			"2017, table of 2026-11-22.",
		"sscc_check_digit": " Basis: GS1 General Specifications, 7.9.1.",
	}
	for _, c := range Run(evidence(numbered(slices.Repeat([]string{"106141412345678907"}, 100)...)...)) {
		if !strings.HasSuffix(c.Details, want[c.Name]) || utf8.RuneCountInString(c.Details) > shipments.MaxCheckDetails {
			t.Errorf("%s: %s", c.Name, c.Details)
		}
	}
}

// TestRowsNameThePackingList of several.
func TestRowsNameThePackingList(t *testing.T) {
	t.Parallel()
	e := evidence(numbered("1", "2", "3")...)
	e.Documents = append(e.Documents, shipments.Document{
		ID: list2, Type: shipments.PackingList, PalletsExtracted: 1,
		Declared: list.Declared{Pallets: 1},
	})
	e.Pallets = append(e.Pallets, pallet("2"), pallet("3"))
	e.Pallets[3].Source = shipments.Source{Document: list2, Row: 1}
	const want = "fail 4 [2 1 3 0] Pallet 2 appears on row 2 of packing list 1 and row 1 of packing list 2; " +
		"pallet 3 appears on row 3 of packing list 1 and a row without a document."
	if got := run(e, "duplicate_pallets"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := run(e, "pallet_count_declared"); got != "pass 0 [] Packing list 2: 1 pallet declared, 1 pallet listed." {
		t.Errorf("%s", got)
	}
}

func TestRunMakesEveryCheck(t *testing.T) {
	t.Parallel()
	worst := changed(slices.Repeat(many(1), list.MaxPallets), func(p *shipments.Pallet) {
		p.Number, p.ProduceName, p.Calibre = strings.Repeat("🍊", list.MaxPalletNumber),
			strings.Repeat("avocado ", 12)+"x", strings.Repeat("Ø", list.MaxCalibre)
	}, 0, 1, 2, 3, 4, 5, 6, 7)
	for name, e := range map[string]shipments.Evidence{
		"none": {}, "the worst": evidence(worst...),
		"fine": evidence(many(3)...),
	} {
		all := Run(e)
		if len(all) != len(catalogue) {
			t.Errorf("%s: %d checks", name, len(all))
		}
		for _, c := range all {
			for _, f := range shipments.TextFaults("", "details", c.Details, shipments.MaxCheckDetails) {
				t.Errorf("%s: %+v", name, f)
			}
			if !slices.Contains(shipments.Results, c.Result) {
				t.Errorf("%s: %s %s", name, c.Name, c.Result)
			}
			if len(c.Locations) > shipments.MaxLocations || len(c.Locations) > c.Count ||
				(c.Result == shipments.Pass || c.Result == shipments.Skip) != (c.Count == 0) {
				t.Errorf("%s: %s %s, %d with %d locations", name, c.Name, c.Result, c.Count, len(c.Locations))
			}
			if first, _ := utf8.DecodeRuneInString(c.Details); strings.ToUpper(string(first)) != string(first) ||
				!strings.HasSuffix(c.Details, ".") {
				t.Errorf("%s: %s is no sentence: %s", name, c.Name, c.Details)
			}
		}
	}
}

// TestCheckDigits: examples of GS1 and of ISO 6346, and no other digit.
func TestCheckDigits(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"106141412345678908", "376104250021234569", "6291041500213"} { // the last is a GTIN-13
		if last := len(key) - 1; list.CheckDigit(key[:last]) != key[last] {
			t.Errorf("%s: %c", key, list.CheckDigit(key[:last]))
		}
	}
	for _, number := range []string{
		"CSQU3054383", "HLXU2008419", "TEXU3070079", "MSKU0000006", "AAAU1234566", "ALLJ6543216", "KVZZ0000011",
		"ABCU1002009",
	} {
		if got := containerProblem(number); got != "" {
			t.Errorf("%s %s", number, got)
		}
		for digit := '0'; digit <= '9'; digit++ {
			if other := number[:10] + string(digit); other != number && containerProblem(other) == "" {
				t.Errorf("%s is accepted, too", other)
			}
		}
	}
}

// TestRunTakesLinearTime: describing the rows of pallets once took a pass over all of
// them, and seconds for 10,000. Processor time does not depend on other programs.
func TestRunTakesLinearTime(t *testing.T) {
	implausible := many(list.MaxPallets)
	for i := range implausible {
		implausible[i].Boxes, implausible[i].BoxWeight, implausible[i].Calibre = 1, 1, "?"
	}
	cost := func(n int) time.Duration {
		e, least := evidence(implausible[:n]...), time.Hour
		for range 3 {
			start := processorTime(t)
			Run(e)
			least = min(least, processorTime(t)-start)
		}
		return least
	}
	few, all := cost(list.MaxPallets/10), cost(list.MaxPallets)
	if all > 40*few {
		t.Errorf("%d pallets take %s, ten times as many %s", list.MaxPallets/10, few, all)
	}
}

// processorTime returns the time that this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
