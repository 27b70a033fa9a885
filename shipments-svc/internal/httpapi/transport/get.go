package transport

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/precondition"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func decodeGet(r *http.Request) (shipments.GetQuery, error) {
	id, err := ShipmentIDs.decode(r)
	look := shipments.GetQuery{ID: id, Wait: preferredWait(r)}
	if r.Header.Values("If-None-Match") != nil {
		look.Known = func(version int64) bool {
			return precondition.Failed(r, tagOf(version)) == http.StatusNotModified
		}
	}
	return look, err
}

// encodeGet shows a shipment, with the content of its documents only for tokens
// that may read documents.
func encodeGet(r *http.Request, found shipments.GetResult) reply {
	header := http.Header{"Etag": {tagOf(found.Version)}}
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
	if !slices.Contains(callerOf(r.Context()).Permissions, string(ReadDocuments)) {
		for i := range view.Documents {
			view.Documents[i].Facts, view.Documents[i].Remarks = nil, nil
		}
	}
	body := map[string]detailView{"shipment": view}
	return reply{Status: http.StatusOK, Header: header, Body: body, release: found.Release}
}

func decodePallets(r *http.Request) (q shipments.PalletsQuery, err error) {
	p := query.Read(r)
	q.Page, q.PerPage = p.Page(shipments.MaxLinesPerPage)
	if err = p.Err(); err == nil {
		q.ID, err = ShipmentIDs.Parse(r.PathValue("id"))
	}
	return q, err
}

func encodePallets(r *http.Request, page shipments.PalletsPage) reply {
	return reply{
		Status: http.StatusOK,
		Header: http.Header{"Link": {query.PageLinks(r.URL, page.Page, page.PerPage, page.Paging.Total)}},
		Body:   palletsView{each(page.Lines.Pallets, viewPart), metaView(page.Paging)}, release: page.Release,
	}
}

// representation is part of every entity-tag. It changes when the same row
// comes to be shown differently, so that no client keeps the older form.
const representation = "2"

// tagOf is the entity-tag of a version of a shipment.
func tagOf(version int64) string {
	return `"` + representation + "." + strconv.FormatInt(version, 10) + `"`
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
