package dispatch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

// The headers of Standard Webhooks.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

const userAgent = "Quayside-Webhooks/1"

// send makes an attempt, and returns its outcome, the HTTP status, or 0, and how long the receiver asks to wait.
func send(
	ctx context.Context, client *http.Client, job webhooks.Job, id string, body []byte, now time.Time,
) (webhooks.Outcome, int, time.Duration) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, job.URL, bytes.NewReader(body))
	if err != nil {
		return webhooks.NoAnswer, 0, 0
	}
	signatures := make([]string, len(job.Secrets))
	for i, secret := range job.Secrets {
		signatures[i] = secret.Sign(id, now.Unix(), body)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set(headerID, id)
	req.Header.Set(headerTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(headerSignature, strings.Join(signatures, " "))
	// With this entry, which is not sent, net/http retries the request if the receiver
	// closes a reused connection.
	req.Header["Idempotency-Key"] = nil
	res, err := client.Do(req)
	if err != nil {
		return failed(err), 0, 0
	}
	defer func() { _ = res.Body.Close() }()
	// Read the body so that the connection can be reused.
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode >= 200 && res.StatusCode <= 299:
		return webhooks.Accepted, res.StatusCode, 0
	case res.StatusCode >= 300 && res.StatusCode <= 399:
		return webhooks.Redirected, res.StatusCode, 0
	default:
		return webhooks.Refused, res.StatusCode, retryAfter(res.Header.Get("Retry-After"), now)
	}
}

// retryAfter returns the duration of a Retry-After header (RFC 9110, 10.2.3), or 0 without a valid one.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return at.Sub(now)
}

// failed returns the outcome of an attempt without a response.
func failed(err error) webhooks.Outcome {
	e, network := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP),
		errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrInvalidHostPort):
		return webhooks.AddressNotAllowed
	case errors.As(err, new(*net.DNSError)): // the same outcome: it does not say which names exist
		return webhooks.AddressNotAllowed
	case network && e.Timeout():
		return webhooks.TimedOut
	case errors.As(err, new(*tls.CertificateVerificationError)),
		errors.As(err, new(tls.AlertError)),
		errors.Is(err, http.ErrSchemeMismatch):
		return webhooks.TLSFailed
	default:
		return webhooks.NoAnswer
	}
}
