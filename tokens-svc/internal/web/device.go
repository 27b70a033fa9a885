package web

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// deviceLife is for how long a browser is known after a sign-in there.
const deviceLife = 180 * 24 * time.Hour

// deviceCookie returns the name of the cookie by which a browser is known.
func (s *site) deviceCookie() string {
	if s.secure {
		return "__Host-quayside-device"
	}
	return "quayside-device"
}

// rememberDevice sets a cookie that marks the browser as one in which this person
// signed in with a password.
func (s *site) rememberDevice(ctx context.Context, a answer, user people.User) (answer, error) {
	device, err := s.People.NewDevice(ctx, user)
	if err != nil || device == "" {
		return a, err
	}
	a.cookie = &http.Cookie{ //nolint:gosec // G124: not Secure only on plain http, which is for development
		Name: s.deviceCookie(), Value: device, Path: "/", MaxAge: int(deviceLife.Seconds()),
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	return a, nil
}
