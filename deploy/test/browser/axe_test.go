package browser

import (
	"fmt"
	"strings"
)

// axeRules are the rules for every page: WCAG 2.2 at level AA, and what
// axe's best practices.
const axeRules = `{
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	resultTypes: ["violations"],
}`

// accessible fails the test if axe finds a violation on the current page, on a phone, a tablet or a
// desk, in light, dark or forced colours, or if the page is wider than they are.
func (b *tab) accessible() {
	b.Helper()
	for _, width := range []int64{320, 700, 1280} {
		b.fits(width)
		for _, colours := range [][2]string{
			{"prefers-color-scheme", "light"}, {"prefers-color-scheme", "dark"}, {"forced-colors", "active"},
		} {
			b.prefers(colours[0], colours[1])
			for _, found := range b.audit() {
				b.Errorf("at %s (%d pixels, %s): %s", b.path(), width, colours, found)
			}
		}
	}
	b.dark(false)
}

type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		Target         []string
		FailureSummary string
	}
}

func (v violation) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for _, node := range v.Nodes {
		fmt.Fprintf(&s, "\n\t%s\n\t%.200s\n\t%s", strings.Join(node.Target, " "), node.HTML,
			strings.ReplaceAll(node.FailureSummary, "\n", "\n\t"))
	}
	return s.String()
}

func (b *tab) audit() []violation {
	b.Helper()
	// The content security policy applies to scripts of the page, not to the debugger's.
	eval[bool](b, axe+"; true")
	return eval[[]violation](b, `axe.run(document, `+axeRules+`).then(result => result.violations)`)
}

// fits fails the test if the page scrolls horizontally in a window of so many CSS pixels. 320 are also 1280 at 400 %
// zoom (WCAG 1.4.10).
func (b *tab) fits(width int64) {
	b.Helper()
	b.size(width, 800)
	if found := eval[int64](b, "document.documentElement.scrollWidth"); found > width {
		wide := eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("body *")]
			.filter(e => e.getBoundingClientRect().right > %d).map(e => e.outerHTML.slice(0, 120))`, width))
		b.Errorf("at %s: %d pixels wide in a window of %d; beyond it reach\n\t%s", b.path(), found, width,
			strings.Join(wide, "\n\t"))
	}
}
