// Package page answers with what is part of the program: pages for people and
// what they load.
//
// Guarantees: browsers take it for what it says it is, and let it do what its
// content security policy says and nothing else.
package page

import (
	"net/http"
	"strconv"
)

// Kind is what answers of one kind have in common: the values of the headers
// Content-Type, Content-Security-Policy and Cache-Control.
type Kind struct{ ContentType, Policy, Cache string }

// Describe sets the headers.
func (k Kind) Describe(h http.Header) {
	h.Set("Content-Type", k.ContentType)
	h.Set("Content-Security-Policy", k.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", k.Cache)
}

// Send answers with content.
func (k Kind) Send(w http.ResponseWriter, content []byte) {
	k.Describe(w.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // the client is gone: there is nobody left to tell
}
