package contract

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock    = regexp.MustCompile("(?ms)^```.*?^```")
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped      = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every relative link of every document leads to a file, and to a heading of
// it if it names one.
func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	documents := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() &&
			(name == "node_modules" || name == ".run" || name == ".bin" || name == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		documents++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range markdownLink.FindAllSubmatch(codeBlock.ReplaceAll(text, nil), -1) {
			checkLink(t, path, string(match[1]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if documents < 10 {
		t.Errorf("found only %d documents", documents)
	}
}

func checkLink(t *testing.T, from, link string) {
	t.Helper()
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") ||
		strings.HasPrefix(link, "/") { // a page of the gateway, whose tests follow its links
		return
	}
	file, anchor, _ := strings.Cut(link, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	info, err := os.Stat(target)
	if err != nil {
		t.Errorf("%s links to %s, which does not exist", from, link)
		return
	}
	if anchor == "" || info.IsDir() {
		return
	}
	text, err := os.ReadFile(target)
	if err != nil {
		t.Error(err)
		return
	}
	for _, match := range heading.FindAllSubmatch(codeBlock.ReplaceAll(text, nil), -1) {
		if slug(string(match[1])) == anchor {
			return
		}
	}
	t.Errorf("%s links to %s, but %s has no such heading", from, link, target)
}

// slug is the anchor that GitHub gives a heading.
func slug(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
