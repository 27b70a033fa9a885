package transport

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type createdView struct {
	ID        string           `json:"id"`
	Reference string           `json:"reference"`
	Status    shipments.Status `json:"status"`
	CreatedAt string           `json:"created_at"`
}

func decodeCreate(r *http.Request) (shipments.Creation, error) {
	return decodeJSON(r, query.Read(r).Err(), "/shipment", func(o *jsonbody.Object) shipments.Creation {
		return shipments.Creation{
			Draft: shipments.NewDraft(o.Object("shipment").Text),
			By:    Actor(callerOf(r.Context()).Identity),
		}
	}, shipments.Creation.Faults)
}

func encodeCreate(r *http.Request, s shipments.Shipment) reply {
	id := ShipmentIDs.Format(s.ID)
	return reply{
		Status: http.StatusCreated,
		Header: http.Header{"Location": {canonicalPath(r) + "/" + id}},
		Body:   map[string]createdView{"shipment": {id, s.Reference, s.Status, viewTime(s.CreatedAt)}},
	}
}

// maxFaults bounds the faults that are reported for one body.
const maxFaults = 50

// invalid is the error of the faults of decoding a body and those of validating the
// value at the pointer.
func invalid(decoding []shipments.Fault, at string, validation []shipments.Fault) error {
	for i := range validation {
		validation[i].Pointer = at + validation[i].Pointer
	}
	if all := shipments.Merge(decoding, validation); len(all) > 0 {
		all = all[:min(len(all), maxFaults)]
		return &shipments.Invalid{Faults: all}
	}
	return nil
}

// mediaTypeError means that a body is not sent as JSON.
type mediaTypeError struct{ reason string }

// Error implements error.
func (e *mediaTypeError) Error() string {
	return e.reason + "; send JSON with Content-Type: application/json"
}

// errCutShort means that a body ended before it was complete.
var errCutShort = &jsonbody.SyntaxError{Reason: "the body ended before it was complete"}

// jsonMedia is the media type of JSON (RFC 8259).
const jsonMedia = "application/json"

// decodeJSON reads a request from a body under the media type of JSON, or one of others, unless
// what was read before is err. Its faults are those of the body and, beneath the pointer at, of
// the request. A request without a body is as one with {}: its faults name what is missing.
func decodeJSON[Req any](
	r *http.Request, err error, at string, read func(*jsonbody.Object) Req, faults func(Req) []shipments.Fault,
	others ...string,
) (req Req, _ error) {
	text, media := []byte("{}"), append([]string{jsonMedia}, others...)
	if err == nil && (r.ContentLength != 0 || len(r.Header.Values("Content-Type")) > 0) {
		if err = mediaType(r.Header, media, strings.Join(media, " or ")); err == nil {
			text, err = io.ReadAll(r.Body)
			err = readingError(err)
		}
	}
	if err != nil {
		return req, err
	}
	body, err := parse(text, jsonbody.Limits{Elements: maxElements})
	if err != nil {
		return req, err
	}
	req = read(body.Object())
	return req, invalid(each(body.Faults(), domainFault), at, faults(req))
}

// parse parses a body. The error of one beyond its limits is *shipments.Invalid.
func parse(text []byte, limits jsonbody.Limits) (*jsonbody.Body, error) {
	body, err := jsonbody.Parse(text, limits)
	if beyond, ok := errors.AsType[*jsonbody.LimitError](err); ok {
		err = &shipments.Invalid{Faults: []shipments.Fault{domainFault(beyond.Fault)}}
	}
	return body, err
}

func domainFault(f jsonbody.Fault) shipments.Fault {
	return shipments.Fault{Code: shipments.FaultCode(f.Code), Pointer: f.Pointer, Detail: f.Detail}
}

// noFaults is for requests that decoding validates.
func noFaults[Req any](Req) []shipments.Fault { return nil }

// readingError is the error of reading a body: a known one, or else errCutShort.
func readingError(err error) error {
	if err == nil || errors.Is(err, shipments.ErrUnavailable) {
		return err
	}
	for _, known := range []any{
		new(*http.MaxBytesError), new(*jsonbody.SyntaxError), new(fileTooLargeError), new(*shipments.Invalid),
	} {
		if errors.As(err, known) {
			return err
		}
	}
	return errCutShort
}

// notEncoded refuses a body with a content encoding.
func notEncoded(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return &mediaTypeError{"the body has a content encoding, which is not supported"}
	}
	return nil
}

// mediaType refuses a body of another media type than these. wanted is how
// they are called in an answer.
func mediaType(h http.Header, media []string, wanted string) error {
	if err := notEncoded(h); err != nil {
		return err
	}
	given := h.Values("Content-Type")
	if len(given) != 1 {
		return &mediaTypeError{"the body has no media type, or several"}
	}
	kind, params, err := mime.ParseMediaType(given[0])
	if err != nil || !slices.Contains(media, kind) {
		return &mediaTypeError{"the body's media type is not " + wanted}
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return &mediaTypeError{"the body's charset is not utf-8"}
	}
	return nil
}
