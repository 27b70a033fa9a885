package pages

import (
	"net/url"
	"strconv"
)

// Tab is a part of a list, with how many entries it has; "": that is not said.
type Tab struct {
	Link
	Count string
}

// Pager is the position in a list.
type Pager struct {
	Number, Last, Total int
	Previous, Next      string // addresses; "": none
}

// Number reads the number of the requested page; an invalid one is 1.
func Number(query url.Values) int {
	n, err := strconv.Atoi(query.Get("page"))
	if err != nil || n < 1 || n > 1_000_000 {
		return 1
	}
	return n
}

// Around returns the way around a list of so many entries, of which a page has size.
func Around(u *url.URL, number, size, total int) Pager {
	p := Pager{Number: number, Last: max(1, (total+size-1)/size), Total: total}
	to := func(n int) string {
		query := u.Query()
		query.Set("page", strconv.Itoa(n))
		return "?" + query.Encode()
	}
	if number > 1 {
		p.Previous = to(min(number-1, p.Last))
	}
	if number < p.Last {
		p.Next = to(number + 1)
	}
	return p
}
