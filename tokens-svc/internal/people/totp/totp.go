// Package totp makes and checks the keys of authenticator apps: RFC 6238 in the only form that all
// apps read, with SHA-1, six digits and steps of 30 seconds.
//
// Guarantee: a code is valid in its own time step, the one before and the one after, and only in
// steps that are newer than the last one of which a code was accepted.
package totp

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"image/color"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

const (
	issuer = "Quayside" // as apps show it
	period = 30         // seconds of a step
	skew   = 1          // steps that the clock of a phone may be off
)

// Size is the length of a key in bytes: that of SHA-1's output.
const Size = 20

// New returns a random key.
func New() []byte {
	key := make([]byte, Size)
	_, _ = rand.Read(key) // never fails: see its documentation
	return key
}

// Enrolment is a key as an app reads it: Secret as text, URL in a QR code.
func Enrolment(key []byte, account string) (*otp.Key, error) {
	return totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: account, Secret: key})
}

// Accept returns the time step of a code, if it is valid and newer than the step after.
func Accept(key []byte, code string, at time.Time, after int64) (step int64, ok bool) {
	secret := base32.StdEncoding.EncodeToString(key)
	now := at.Unix() / period
	for step := max(now-skew, after+1); step <= now+skew; step++ {
		//nolint:gosec // G115: not negative after 1970
		ok, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{Digits: otp.DigitsSix})
		if ok && err == nil {
			return step, true
		}
	}
	return 0, false
}

// quiet is the margin of a QR code, in modules.
const quiet = 4

// QR returns a QR code as the path of an SVG whose sides have that many units, with its margin.
func QR(content string) (path string, side int, err error) {
	code, err := qr.Encode(content, qr.M, qr.Auto)
	if err != nil {
		return "", 0, fmt.Errorf("QR code: %w", err)
	}
	var b strings.Builder
	bounds := code.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			if code.At(x, y) == color.Black {
				_, _ = fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return b.String(), bounds.Dx() + 2*quiet, nil
}
