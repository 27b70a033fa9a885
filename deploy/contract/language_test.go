package contract

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTextsDoNotPersonifyPrograms: comments, documents, pages and API texts use the standard terms of what programs do,
// such as receive, accept, notify, maintain and ensure, in place of these words.
func TestTextsDoNotPersonifyPrograms(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == ".run" || name == ".bin" || name == ".git") {
			return filepath.SkipDir
		}
		if !slices.Contains([]string{".go", ".md", ".sql", ".html", ".yaml", ".yml", ".json", ".caddy"}, filepath.Ext(path)) || entry.Name() == "language_test.go" {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		lower := strings.ToLower(string(text))
		for _, word := range []string{"whoever", "believed", " told ", " woken", "looks after", "sees to it"} {
			if before, _, found := strings.Cut(lower, word); found {
				t.Errorf("%s:%d: %q", path, 1+strings.Count(before, "\n"), word)
			}
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files: %v", files, err)
	}
}
