package packinglist

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// collected is what is right to read of a list of a collection.
type collected struct {
	File    string
	Refuse  []string
	Pallets []struct {
		N, Alt   string
		Produce  []string
		Cal      *string
		Boxes    *int
		Kg       *float64
		Contents [][]any
	}
}

// TestCollection compares lists with what is right to read of them: the directory of
// PACKING_LISTS has files and, beside each, NAME.expected.json. A value that differs
// without a warning fails.
func TestCollection(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join(os.Getenv("PACKING_LISTS"), "*.expected.json"))
	if os.Getenv("PACKING_LISTS") == "" {
		t.Skip("PACKING_LISTS is not set")
	} else if len(files) == 0 {
		t.Fatal("PACKING_LISTS has no lists")
	}
	verdicts := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want collected
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(strings.TrimSuffix(file, ".expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		list, err := readAs(t.Context(), kindOf(want.File), content)
		verdict, detail := judged(want, list, err)
		verdicts[verdict]++
		t.Logf("%-42s %-18s %s", want.File, verdict, detail)
		if verdict == "wrong, silently" {
			t.Errorf("%s: %s", want.File, detail)
		}
	}
	t.Log(verdicts)
}

// judged returns the verdict on a list.
func judged(want collected, list shipments.Reading, err error) (verdict, detail string) {
	switch {
	case err != nil && want.Refuse != nil:
		return "rightly refused", err.Error()
	case err != nil:
		return "refused", err.Error()
	}
	missing, wrong := compared(want, list)
	if want.Refuse != nil {
		wrong = append(wrong, "read, and is none")
	}
	switch {
	case len(wrong) > 0 && warned(list):
		return "wrong, warned", strings.Join(wrong[:min(3, len(wrong))], "; ")
	case len(wrong) > 0:
		return "wrong, silently", strings.Join(wrong[:min(3, len(wrong))], "; ")
	case len(missing) > 0:
		return "partly", strings.Join(missing[:min(3, len(missing))], "; ")
	}
	return "fully", warningsOf(list, nil)
}

// warned reports whether a check of the values warns or fails.
func warned(list shipments.Reading) bool {
	others := []string{"required_fields", "required_documents", "calibre_known", "produce_vs_phyto", "container_number"}
	return slices.ContainsFunc(checks.Run(evidence(list, nil)), func(c shipments.Check) bool {
		return (c.Result == shipments.Warn || c.Result == shipments.Fail) && !slices.Contains(others, c.Name)
	})
}

// compared returns the values that are missing or differ.
func compared(want collected, list shipments.Reading) (missing, wrong []string) {
	marks := strings.NewReplacer(" ", "", "-", "", "_", "", ".", "", "/", "")
	norm := func(s string) string { return strings.TrimLeft(strings.ToUpper(marks.Replace(s)), "0") }
	left := slices.Clone(list.Pallets)
	if len(left) != len(want.Pallets) {
		wrong = append(wrong, fmt.Sprintf("%d pallets for %d", len(left), len(want.Pallets)))
	}
	for _, p := range want.Pallets {
		same := func(label string) func(shipments.Pallet) bool {
			return func(g shipments.Pallet) bool {
				a := norm(g.Number)
				return label != "" &&
					(a == norm(label) || strings.TrimLeft(strings.ReplaceAll(a, "PALLET", ""), "0") == norm(label))
			}
		}
		i := slices.IndexFunc(left, same(p.N))
		if i < 0 {
			i = slices.IndexFunc(left, same(p.Alt))
		}
		if i < 0 {
			wrong = append(wrong, "no pallet "+p.N)
			continue
		}
		g := left[i]
		left = slices.Delete(left, i, i+1)
		differs := func(empty bool, what string, got, want any) {
			text := fmt.Sprintf("%s: %s %v for %v", p.N, what, got, want)
			if empty {
				missing = append(missing, text)
			} else {
				wrong = append(wrong, text)
			}
		}
		for _, word := range p.Produce {
			if !strings.Contains(strings.ToLower(g.ProduceName), strings.ToLower(word)) {
				differs(g.ProduceName == "", "produce", g.ProduceName, word)
			}
		}
		if p.Cal != nil && !strings.EqualFold(strings.ReplaceAll(g.Calibre, " ", ""), strings.ReplaceAll(*p.Cal, " ", "")) {
			differs(g.Calibre == "", "calibre", g.Calibre, *p.Cal)
		}
		if p.Boxes != nil && g.Boxes != *p.Boxes {
			differs(g.Boxes == 0, "boxes", g.Boxes, *p.Boxes)
		}
		if kg := float64(g.BoxWeight) / 1000; p.Kg != nil && math.Abs(kg-*p.Kg) > max(0.011, 0.005**p.Kg) {
			differs(kg == 0, "kg", kg, *p.Kg)
		}
		if p.Contents != nil {
			got, wanted := map[string]int{}, map[string]int{} // boxes of each calibre, which several growers may have
			for _, c := range g.Contents {
				got[strings.ToUpper(c.Calibre)] += c.Boxes
			}
			for _, c := range p.Contents {
				boxes, _ := c[1].(float64)
				wanted[strings.ToUpper(c[0].(string))] += int(boxes)
			}
			if !maps.Equal(got, wanted) {
				differs(len(got) == 0, "contents", got, wanted)
			}
		}
	}
	for _, g := range left {
		wrong = append(wrong, "a pallet "+g.Number+" that is none")
	}
	return missing, wrong
}
