package tokens

// Page is a part of a list. The zero Page is all of it.
type Page struct {
	Number int // from 1
	Size   int // how many entries a page has
}

// Offset returns how many entries stand before the page.
func (p Page) Offset() int { return max(p.Number-1, 0) * p.Size }
