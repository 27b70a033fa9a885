package transport

import (
	"net/http"
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/ids"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// representation is part of every entity-tag. It changes when the same row
// comes to be shown differently, so that no client keeps the older form.
const representation = "1"

type getView struct {
	Shipment detailView `json:"shipment"`
}

// decodeGet reads the id in the path. One that no shipment can have is not
// told from one that no shipment has.
func decodeGet(r *http.Request) (shipments.ID, error) {
	if err := readParameters(r).err(); err != nil {
		return shipments.ID{}, err
	}
	id, ok := ids.Parse(shipmentPrefix, r.PathValue("id"))
	if !ok {
		return shipments.ID{}, shipments.ErrNotFound
	}
	return shipments.ID(id), nil
}

func encodeGet(r *http.Request, d shipments.Detail) reply {
	tag := `"` + representation + "." + strconv.FormatInt(d.Version, 10) + `"`
	header := http.Header{"Etag": {tag}}
	if matches(r.Header.Values("If-None-Match"), tag) {
		return reply{status: http.StatusNotModified, header: header}
	}
	return reply{status: http.StatusOK, header: header, body: getView{viewDetail(d)}}
}
