package tables

import "strings"

// alignedText returns the lines of a text whose columns are aligned by spaces, such as a
// message, as printed lines; nil for other texts. Lines of dashes, and marks of quoted
// lines, are left out.
func alignedText(text string) (lines []textLine) {
	const width, height = 6, 12 // of a character in points
	wide, all := 0, 0
	for n, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if strings.ContainsAny(line, ";|\t") || n > MaxRows {
			return nil
		}
		line = strings.TrimLeft(line, ">")
		var words textLine
		for at, field := range fieldsOf(line) {
			if strings.Trim(field, "-=_+.*") != "" && onPage(float64(at*width)) {
				left := float64(at * width)
				words = append(words, word{
					text: field, left: left, right: left + float64(width*len([]rune(field))), base: float64(-n * height),
					size: height, space: width, row: n + 1,
				})
			}
		}
		if words == nil {
			continue
		}
		all++
		if len(phrases(words)) >= fewPhrases {
			wide++
		}
		lines = append(lines, words)
	}
	if wide < fewLines || wide*4 < all {
		return nil
	}
	return lines
}

// fieldsOf returns the words of a line by their columns.
func fieldsOf(line string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		at, begin := 0, -1
		var field []rune
		for _, r := range line + " " {
			switch {
			case r != ' ' && begin < 0:
				begin, field = at, []rune{r}
			case r != ' ':
				field = append(field, r)
			case begin >= 0:
				if !yield(begin, string(field)) {
					return
				}
				begin = -1
			}
			at++
		}
	}
}
