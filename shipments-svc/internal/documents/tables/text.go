package tables

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// field matches what a line of a text has between spaces.
var field = regexp.MustCompile(`[^ ]+`)

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
		line = strings.TrimLeft(strings.TrimRight(line, "\r"), ">")
		for _, at := range field.FindAllStringIndex(line[:min(len(line), maxExtent/width)], -1) {
			left, text := width*utf8.RuneCountInString(line[:at[0]]), line[at[0]:at[1]]
			if strings.Trim(text, "-=_+.*") != "" {
				words = append(words, word{
					span: span{float64(left), float64(left + width*utf8.RuneCountInString(text))}, text: text,
					base: float64(-n * height), size: height, space: width, row: n + 1,
				})
			}
		}
		if words != nil {
			lines = append(lines, words)
		}
		if len(words.phrases()) >= fewPhrases {
			wide++
		}
	}
	if wide < fewLines || wide*4 < len(lines) {
		return nil
	}
	return lines
}
