package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// FuzzForm: whatever the body of a form, it is an attachment without a fault,
// whose file is as large as it says, or refused as the request's fault.
func FuzzForm(f *testing.F) {
	const kind = "--b\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\nother\r\n"
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n" +
		"Content-Type: text/csv\r\n\r\na;b\r\n"
	for _, body := range []string{
		kind + file + "--b--\r\n", kind + file, file + file + "--b--", "--b\r\n\r\n--b", "--b--", "--b\r\nno head\r\n",
		"--b\nContent-Disposition: x; name=y\n\n", strings.Replace(kind+file, "a.csv", "../x", 1) + "--b--",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		all, err := decodeForm(r, shipments.Order{}, false)
		var a shipments.Attachment
		if err == nil {
			a = all[0]
		}
		if err == nil &&
			(len(a.Faults()) > 0 || a.File.Size == 0 || a.File.Size > int64(len(body)) || a.File.ContentType == "") {
			t.Errorf("%+v, %+v", a, a.Faults())
		}
		if err != nil && Problem(err).Status >= http.StatusInternalServerError {
			t.Error(err)
		}
	})
}
