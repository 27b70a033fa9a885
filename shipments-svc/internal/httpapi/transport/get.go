package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func decodeGet(r *http.Request) (shipments.GetQuery, error) {
	id, err := ShipmentIDs.decode(r)
	look := shipments.GetQuery{ID: id, Wait: preferredWait(r)}
	if r.Header.Values("If-None-Match") != nil {
		look.Known = func(version int64) bool {
			return precondition.Failed(r, tagsOf(version)...) == http.StatusNotModified
		}
	}
	return look, err
}

// encodeGet shows a shipment, with the content of its documents only for tokens
// that may read documents.
func encodeGet(r *http.Request, found shipments.GetResult) reply {
	header := http.Header{"Etag": {tagOf(found.Version, found.Documents, may(r, ReadDocuments))}}
	if found.Waited {
		header.Set("Preference-Applied", "wait="+strconv.Itoa(int(preferredWait(r).Seconds())))
	}
	view := viewDetail(found.Detail)
	if found.Lines > 0 {
		view.More = &moreView{
			Lines: shipments.MaxLinesPerPage, Total: found.Lines,
			Next: canonicalPath(r) + "/pallets?page=2&per_page=" + strconv.Itoa(shipments.MaxLinesPerPage),
		}
	}
	if !may(r, ReadDocuments) {
		for i := range view.Documents {
			view.Documents[i].Facts, view.Documents[i].Remarks = nil, nil
		}
	}
	body := map[string]detailView{"shipment": view}
	return reply{status: http.StatusOK, header: header, body: body, release: found.Release}
}

func encodePallets(r *http.Request, page shipments.PalletsPage) reply {
	re := paged(func(page shipments.PalletsPage) (shipments.Paging, any) {
		return page.Paging, palletsView{each(page.Pallets, viewPart), page.Paging}
	})(r, page)
	re.release = page.Release
	return re
}

// representation is part of the entity-tags of versions and documents. It changes when the same row
// comes to be shown differently, so that no client keeps the older form.
const representation = "3"

// may reports whether the caller has a permission.
func may(r *http.Request, p Permission) bool {
	return slices.Contains(callerOf(r.Context()).Permissions, string(p))
}

// tagOf is the entity-tag of a representation of a version of a shipment: with the content of its documents or without,
// and with so many of them being read, which makes no version.
func tagOf(version int64, documents []shipments.Document, content bool) string {
	reading := 0
	for _, d := range documents {
		if d.Status == shipments.BeingRead {
			reading++
		}
	}
	return tag(version, reading, content)
}

func tag(version int64, reading int, content bool) string {
	tag := representation + "." + strconv.FormatInt(version, 10)
	if reading > 0 {
		tag += ".r" + strconv.Itoa(reading)
	}
	if !content {
		tag += ".s"
	}
	return `"` + tag + `"`
}

// tagsOf are the entity-tags of all representations of a version.
func tagsOf(version int64) (all []string) {
	for reading := range shipments.MaxDocuments + 1 {
		all = append(all, tag(version, reading, false), tag(version, reading, true))
	}
	return all
}

// tagOfDocument is the entity-tag of a document. Until it is read it has the time 0.
func tagOfDocument(d shipments.Document) string {
	return fmt.Sprintf(`"%s.%s.%s.%d.%d"`, representation, d.Type, d.Status, d.Run, max(0, d.ProcessedAt.UnixMilli()))
}

// preferredWait reads the preference wait of a Prefer header (RFC 7240, 4.3),
// in whole seconds and at most MaxWait. A malformed preference is ignored; of
// several the first counts. The gateway's route for waiting matches the same.
func preferredWait(r *http.Request) time.Duration {
	for preference := range strings.SplitSeq(strings.Join(r.Header.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.Trim(name, " \t"), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if errors.Is(err, strconv.ErrRange) {
			return shipments.MaxWait
		}
		if err != nil {
			return 0
		}
		return min(time.Duration(seconds)*time.Second, shipments.MaxWait)
	}
	return 0
}
