package upstream

import (
	"errors"
	"io"
	"net/http"
	"testing"
)

// failingClose is a body that cannot be closed.
type failingClose struct{ io.Reader }

var errClose = errors.New("close")

func (failingClose) Close() error { return errClose }

func TestClosingATrackedBodyClosesTheBodyAndCountsOnce(t *testing.T) {
	t.Parallel()

	n := 0
	body := &trackedBody{ReadCloser: failingClose{http.NoBody}, onClose: func() { n++ }}
	for range 2 {
		if err := body.Close(); !errors.Is(err, errClose) {
			t.Errorf("%v", err)
		}
	}
	if n != 1 {
		t.Errorf("counted %d times", n)
	}
}
