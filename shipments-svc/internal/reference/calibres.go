package reference

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Sizing is how a standard sizes a commodity.
type Sizing struct {
	Produce   string // its name in messages
	Source    string
	codes     []string
	from, to  int // diameters in mm; 0: not sized by diameter
	maxPieces int // pieces in a box, where sizing by number is allowed; 0: it is not
}

// Sizings has the sizings of each commodity, by the first botanical name.
var Sizings = map[string][]Sizing{}

// SizingsSource names the table of the calibres, which fills Sizings, with its edition and date.
var SizingsSource = func() string {
	table, source := rows("calibres")
	for _, r := range table {
		s := Sizing{Produce: r["produce"], Source: r["source"], codes: strings.Fields(r["codes"])}
		s.from, _ = strconv.Atoi(r["from_mm"]) // 0 where it is empty
		s.to, _ = strconv.Atoi(r["to_mm"])
		s.maxPieces, _ = strconv.Atoi(r["max_pieces"])
		Sizings[r["commodity"]] = append(Sizings[r["commodity"]], s)
	}
	return source
}()

// diameters matches "75", "75-80", "75/80 mm", "Ø 75+".
var diameters = regexp.MustCompile(`^(?:Ø\s*)?(\d{2,3})(?:\s*[-/–]\s*(\d{2,3})|\s*\+)?(\s*MM)?$`)

// Has reports whether the standard defines a calibre.
func (s Sizing) Has(calibre string) bool {
	text := strings.ToUpper(strings.TrimSpace(calibre))
	if slices.Contains(s.codes, text) {
		return true
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= s.maxPieces {
		return true
	}
	size := diameters.FindStringSubmatch(text)
	if size == nil || s.to == 0 {
		return false
	}
	return !slices.ContainsFunc(size[1:3], func(bound string) bool {
		mm, err := strconv.Atoi(bound)
		return err == nil && (mm < s.from || mm > s.to)
	})
}
