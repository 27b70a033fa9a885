package assertion

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
)

// HeaderClient carries the client's address, as the gateway determined it.
const HeaderClient = "X-Client-Address"

// GuardPages passes requests for pages to next if the gateway asserts their
// client address, and all others to refused. A page has a session instead of a
// token, so its assertion names an address and no token; a token's assertion is
// refused here, and a page's by Guard.
//
// Without keys every request passes, which is for development.
func (v *Verifier) GuardPages(log *slog.Logger, next, refused http.Handler) http.Handler {
	if len(v.keys) == 0 {
		return next // Guard has logged the warning
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := v.checkPage(r.Header); err != nil {
			log.WarnContext(r.Context(), "refused a page request without the gateway's assertion",
				"error", err.Error(), "remote", r.RemoteAddr, "request_id", requestid.Of(r))
			refused.ServeHTTP(w, r)
			return
		}
		r.Header.Del(HeaderAssertion)
		next.ServeHTTP(w, r)
	})
}

// checkPage is check for pages.
func (v *Verifier) checkPage(h http.Header) error {
	for _, name := range []string{HeaderClient, HeaderAssertion} {
		if len(h.Values(name)) != 1 {
			return errors.New("not exactly one " + name)
		}
	}
	if h.Get(HeaderClient) == "" {
		return errors.New(HeaderClient + " is empty")
	}
	return v.proves(h.Get(HeaderAssertion), claim{Client: h.Get(HeaderClient)})
}
