package transport

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
)

// authorize lets gateways through. Nothing of the request is read before its
// credential was found good.
func authorize(gateways credential.Set, log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !gateways.Accepts(bearer(r.Header)) {
			log.WarnContext(r.Context(), "request without a valid gateway credential",
				"request_id", requestid.Of(r), "remote", r.RemoteAddr)
			refusal, _ := answerTo(errCredential)
			refusal.write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bearer returns the credential of the one Authorization header, or "".
func bearer(h http.Header) string {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, value, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(value, " ")
}
