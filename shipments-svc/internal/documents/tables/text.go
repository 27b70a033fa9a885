package tables

import "strings"

// alignedText returns the lines of a text whose columns are aligned by spaces, such as a
// message, as printed lines; nil for other texts. Lines of dashes, and marks of quoted
// lines, are left out.
func alignedText(text string) (lines []textLine) {
	const width, height = 6, 12 // of a character in points
	wide := 0
	for n, line := range strings.Split(text, "\n") {
		if strings.ContainsAny(line, ";|\t") || n > MaxRows {
			return nil
		}
		var words textLine
		characters := []rune(strings.TrimLeft(strings.TrimRight(line, "\r"), ">"))
		for from := 0; from < len(characters); from++ {
			to := from
			for to < len(characters) && characters[to] != ' ' {
				to++
			}
			if field := string(characters[from:to]); strings.Trim(field, "-=_+.*") != "" && to < maxExtent/width {
				words = append(words, word{
					text: field, left: float64(width * from), right: float64(width * to), base: float64(-n * height),
					size: height, space: width, row: n + 1,
				})
			}
			from = to
		}
		if words != nil {
			lines = append(lines, words)
		}
		if len(phrases(words)) >= fewPhrases {
			wide++
		}
	}
	if wide < fewLines || wide*4 < len(lines) {
		return nil
	}
	return lines
}
