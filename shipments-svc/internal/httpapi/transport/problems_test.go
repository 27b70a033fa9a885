package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestEveryStatusHasATestFile: a status that the table can answer and no file
// is named after has no test that shows it.
func TestEveryStatusHasATestFile(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	statuses := []int{
		http.StatusOK,
		http.StatusCreated,
		http.StatusNoContent,
		http.StatusNotModified,
		http.StatusMethodNotAllowed,
		internalError.Status,
	}
	for _, row := range table {
		statuses = append(statuses, row.status)
	}
	for _, status := range statuses {
		if !slices.ContainsFunc(files, func(f os.DirEntry) bool {
			return strings.Contains(f.Name(), fmt.Sprintf("_%d_", status)) && strings.HasSuffix(f.Name(), "_test.go")
		}) {
			t.Errorf("no test file is named after %d", status)
		}
	}
}

func TestCodesOfOutcomesAreBounded(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"ok":             nil,
		"canceled":       fmt.Errorf("deep: %w", context.Canceled),
		"not_found":      fmt.Errorf("deep: %w", shipments.ErrNotFound),
		"unavailable":    fmt.Errorf("deep: %w: %w", shipments.ErrUnavailable, context.DeadlineExceeded),
		"internal_error": errors.New("anything else"),
	} {
		if got := Code(err); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}
