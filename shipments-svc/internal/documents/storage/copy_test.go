package storage

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// line is a file in a list, with the SHA-256 of text.
func line(key shipments.FileKey, text string) string {
	return fmt.Sprintf("%s\t%s\t%x\n", uuid.UUID(key.Org), uuid.UUID(key.Document), sha256.Sum256([]byte(text)))
}

func TestCopiesHaveTheContentOfTheList(t *testing.T) {
	t.Parallel()
	from, to := newDisk(t), newDisk(t)
	whole, there, altered, missing := newKey(), newKey(), newKey(), newKey()
	put(t, from, whole, "whole")
	put(t, from, there, "there")
	put(t, to, there, "there")
	put(t, from, altered, "altered later")
	list := line(whole, "whole") + line(there, "there")
	files, copied, err := Copy(t.Context(), from, to, strings.NewReader(list))
	if err != nil || files != 2 || copied != 1 || get(t, to, whole) != "whole" {
		t.Errorf("%d files, %d copied, %v", files, copied, err)
	}
	put(t, to, whole, "damaged")
	files, copied, err = Copy(t.Context(), from, to, strings.NewReader(line(missing, "x")+line(altered, "altered")+list))
	if files != 4 || copied != 1 || !errors.Is(err, shipments.ErrNoFile) || !errors.Is(err, errOtherContent) {
		t.Errorf("%d files, %d copied, %v", files, copied, err)
	}
	if got := get(t, to, whole); got != "whole" {
		t.Errorf("the damaged file is %q", got)
	}
	if _, err := to.Open(t.Context(), altered); !errors.Is(err, shipments.ErrNoFile) {
		t.Errorf("the altered file: %v", err)
	}
}

func TestAListOfAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	for _, list := range []string{"\n", id + "\n", id + "\t" + id + "\tab\n", id + "\tx\t" + strings.Repeat("ab", 32) +
		"\n", id + "\t" + id + "\t" + strings.Repeat("xx", 32)} {
		if _, _, err := Copy(t.Context(), newDisk(t), newDisk(t), strings.NewReader(list)); err == nil ||
			!strings.Contains(err.Error(), "want") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func newDisk(t *testing.T) *Disk {
	t.Helper()
	d, err := NewDisk(filepath.Join(t.TempDir(), "documents"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
