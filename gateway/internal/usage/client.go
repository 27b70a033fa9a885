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
)

// sendTimeout bounds the sending of one batch.
const sendTimeout = CloseTimeout

// errUnacceptable says that the tokens service refused a batch for what it says, which waiting does not
// change.
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
			// A connection for each batch: that it could be made tells that the service was there, whereas
			// on an old one it stays open whether a batch arrived when it turns out to be closed.
			Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		},
	}
}

// wireUse is one token's use as it is reported.
type wireUse struct {
	Token      string `json:"token"`
	LastUsedAt string `json:"last_used_at"`
	Count      int64  `json:"count"`
	Refused    int64  `json:"refused"`
	Address    string `json:"address,omitempty"`
}

// encode returns the body of a report. Times are in UTC, to the millisecond.
func encode(batch []tokenUse) ([]byte, error) {
	report := struct {
		Usage []wireUse `json:"usage"`
	}{make([]wireUse, len(batch))}
	for i, u := range batch {
		report.Usage[i] = wireUse{
			Token:      u.token,
			LastUsedAt: u.last.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
			Count:      u.passed,
			Refused:    u.refused,
		}
		if u.address.IsValid() {
			report.Usage[i].Address = u.address.String()
		}
	}
	return json.Marshal(report)
}

// send sends batch and returns what became of it. The error tells why when it was not delivered; it holds
// neither the credential nor the batch.
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
	// Without this a connection that breaks may be replaced and the batch sent again, unnoticed.
	request.GetBody = nil
	request.Header.Set("Authorization", "Bearer "+c.credential)
	request.Header.Set("Content-Type", "application/json")

	response, err := c.http.Do(request)
	switch {
	case err != nil && connected:
		return Dropped, fmt.Errorf("no answer to a report: %w", err)
	case err != nil:
		return Kept, err
	}
	// What the service has to say beyond the status is in its own log.
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
	_ = response.Body.Close()
	switch status := response.StatusCode; status {
	case http.StatusOK, http.StatusNoContent:
		return Delivered, nil
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return Dropped, fmt.Errorf("%w: status %d", errUnacceptable, status)
	default:
		return Kept, fmt.Errorf("status %d", status)
	}
}
