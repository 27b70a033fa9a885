package usage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"time"
)

// sendTimeout bounds sending one batch.
const sendTimeout = CloseTimeout

// errUnacceptable reports that the tokens service rejected the content of a batch, so that a retry is pointless.
var errUnacceptable = errors.New("the tokens service does not accept the report")

// client sends batches.
type client struct {
	endpoint   string
	credential string
	http       *http.Client
}

func newClient(endpoint, credential string) *client {
	return &client{
		endpoint:   endpoint,
		credential: credential,
		http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			// One connection per batch: whether it was established shows whether the batch may have been received. On
			// a reused connection that breaks this would be unknown.
			Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		},
	}
}

// wireUse is the usage of one token in a report.
type wireUse struct {
	Token      string     `json:"token"`
	LastUsedAt time.Time  `json:"last_used_at"`
	Count      int64      `json:"count"`
	Refused    int64      `json:"refused"`
	Address    netip.Addr `json:"address,omitzero"`
}

// encode returns the body of a report. Times are UTC with milliseconds.
func encode(batch []tokenUse) ([]byte, error) {
	report := struct {
		Usage []wireUse `json:"usage"`
	}{make([]wireUse, len(batch))}
	for i, u := range batch {
		report.Usage[i] = wireUse{u.token, u.last.UTC().Truncate(time.Millisecond), u.passed, u.refused, u.address}
	}
	return json.Marshal(report)
}

// send sends batch and returns its outcome, with an error unless it was delivered. The error contains neither the
// credential nor the batch.
func (c *client) send(ctx context.Context, batch []tokenUse) (Outcome, error) {
	body, err := encode(batch)
	if err != nil {
		return Dropped, fmt.Errorf("%w: %w", errUnacceptable, err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return Dropped, fmt.Errorf("%w: %w", errUnacceptable, err)
	}
	// Without this net/http may replace a broken connection and send the batch again.
	request.GetBody = nil
	request.Header.Set("Authorization", "Bearer "+c.credential)
	request.Header.Set("Content-Type", "application/json")

	response, err := c.http.Do(request)
	switch {
	case err != nil && connected:
		return Dropped, fmt.Errorf("no response to a report: %w", err)
	case err != nil:
		return Kept, err
	}
	// the service logs the details
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
	_ = response.Body.Close()
	switch status := response.StatusCode; status {
	case http.StatusOK, http.StatusNoContent:
		return Delivered, nil
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return Dropped, fmt.Errorf("%w: status %d", errUnacceptable, status)
	default:
		return Kept, fmt.Errorf("status %d", status)
	}
}
