package transport

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Media types of bodies.
const (
	jsonMedia  = "application/json"             // RFC 8259
	formMedia  = "multipart/form-data"          // with files, RFC 7578
	mergePatch = "application/merge-patch+json" // RFC 7396
)

// maxFaults bounds the faults that are reported for one body.
const maxFaults = 50

// invalid is the error of the faults of decoding a body and those of validating the
// value at the pointer. Where decoding failed there is no value, so faults of validation at or
// beneath it are left out.
func invalid(decoding []jsonbody.Fault, at string, validation []shipments.Fault) error {
	all := each(decoding, func(f jsonbody.Fault) shipments.Fault {
		return shipments.Fault{Code: shipments.FaultCode(f.Code), Pointer: f.Pointer, Detail: f.Detail}
	})
	for _, v := range validation {
		v.Pointer = at + v.Pointer
		if !slices.ContainsFunc(decoding, func(d jsonbody.Fault) bool {
			rest, ok := strings.CutPrefix(v.Pointer, d.Pointer)
			return ok && (rest == "" || rest[0] == '/')
		}) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &shipments.Invalid{Faults: all[:min(len(all), maxFaults)]}
}

// beneath puts faults that a method found beneath the pointer at which the body has its request.
func beneath(at string, err error) error {
	if found, ok := errors.AsType[*shipments.Invalid](err); ok {
		return invalid(nil, at, found.Faults)
	}
	return err
}

// decodeJSON reads a request from a body under the media type of JSON, or one of others, unless
// what was read before is err. Its faults are those of the body and, beneath the pointer at, of
// the request. A request without a body is as one with {}: its faults name what is missing.
func decodeJSON[Req any](
	r *http.Request, err error, at string, read func(*jsonbody.Object) Req, faults func(Req) []shipments.Fault,
	others ...string,
) (req Req, _ error) {
	text := []byte("{}")
	if err == nil && (r.ContentLength != 0 || len(r.Header.Values("Content-Type")) > 0) {
		if _, err = jsonbody.MediaType(r.Header, append([]string{jsonMedia}, others...)...); err == nil {
			r.Body = http.MaxBytesReader(callerOf(r.Context()).writer, r.Body, maxBody)
			text, err = jsonbody.Read(r)
		}
	}
	if err != nil {
		return req, err
	}
	body, err := jsonbody.Parse(text, jsonbody.Limits{Elements: maxElements})
	if err != nil {
		return req, err
	}
	req, callerOf(r.Context()).at = read(body.Object()), at
	if decoding, validation := body.Faults(), faults(req); decoding != nil || validation != nil {
		err = invalid(decoding, at, validation)
	}
	return req, err
}

// noFaults is for requests that decoding validates.
func noFaults[Req any](Req) []shipments.Fault { return nil }
