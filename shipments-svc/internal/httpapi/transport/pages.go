package transport

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func decodePage(r *http.Request) (o shipments.PageOrder, err error) {
	if o.DocumentOrder, err = decodeDocumentOrder(r); err != nil {
		return o, err
	}
	if o.Number, err = strconv.Atoi(r.PathValue("page")); err != nil || o.Number < 1 {
		return o, shipments.ErrNoPage
	}
	return o, nil
}

// renderer is the revision of the program, with which the reader of tables and PDFium change.
var renderer = buildinfo.Read().Revision

// encodePage sends a page, which is the same as long as the file and the program are.
func encodePage(r *http.Request, page shipments.StoredFile) reply {
	return fileReply(page, fmt.Sprintf("%x-%s-%.12s", page.SHA256, r.PathValue("page"), renderer))
}

// SendPage sends a page of a document once that is admitted. An error means that nothing was sent.
func (u *Uploads) SendPage(
	w http.ResponseWriter, r *http.Request, s *shipments.Service, org shipments.OrgID, o shipments.PageOrder,
) error {
	page, err := u.processed(s.Page)(r.Context(), org, o)
	if err != nil {
		return err
	}
	return encodePage(r, page).write(w, r)
}

// processed admits the showing of pages like dry runs, which read a file as well.
func (u *Uploads) processed(
	do method[shipments.PageOrder, shipments.StoredFile],
) method[shipments.PageOrder, shipments.StoredFile] {
	return func(ctx context.Context, org shipments.OrgID, o shipments.PageOrder) (shipments.StoredFile, error) {
		page, err := do(ctx, org, o)
		open := page.Open
		page.Open = func(ctx context.Context) (shipments.OpenFile, error) {
			release, err := u.Process(ctx, shipments.OrganizationOf(org), page.Size)
			if err != nil {
				return nil, err
			}
			defer release()
			return open(ctx)
		}
		return page, err
	}
}
