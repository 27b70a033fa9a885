package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func newKey() (key shipments.FileKey) {
	_, _ = rand.Read(key.Org[:])
	_, _ = rand.Read(key.Document[:])
	return key
}

// conforms is the conformance suite of shipments.Files. Each call of open returns an
// empty store.
func conforms(t *testing.T, open func(*testing.T) shipments.Files) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, shipments.Files){
		"a file comes back as it was put":        testPut,
		"half a file is none":                    testHalf,
		"what is not there is not there":         testMissing,
		"files that were put before are listed":  testList,
		"a file that is put again is the second": testAgain,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func put(t *testing.T, f shipments.Files, key shipments.FileKey, text string) {
	t.Helper()
	if err := f.Put(t.Context(), key, strings.NewReader(text), int64(len(text))); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, f shipments.Files, key shipments.FileKey) string {
	t.Helper()
	file, err := f.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func keys(t *testing.T, f shipments.Files, before time.Time) (all []shipments.FileKey) {
	t.Helper()
	for key, err := range f.List(t.Context(), before) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, key)
	}
	return all
}

func testPut(t *testing.T, f shipments.Files) {
	key, large := newKey(), strings.Repeat("0123456789abcdef", 1<<16)
	put(t, f, key, large)
	if got := get(t, f, key); got != large {
		t.Errorf("%d bytes, want %d", len(got), len(large))
	}
	file, err := f.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var part [4]byte
	if _, err := file.Seek(-6, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(file, part[:]); err != nil || string(part[:]) != "abcd" {
		t.Errorf("from the end: %s (%v)", part, err)
	}
	if _, err := file.ReadAt(part[:], 18); err != nil || string(part[:]) != "2345" {
		t.Errorf("at 18: %s (%v)", part, err)
	}
}

func testHalf(t *testing.T, f shipments.Files) {
	oops := errors.New("oops")
	for _, content := range []io.Reader{strings.NewReader("half"), io.MultiReader(strings.NewReader("half"),
		iotest.ErrReader(oops))} {
		key := newKey()
		if err := f.Put(t.Context(), key, content, 8); !errors.Is(err, shipments.ErrUnavailable) {
			t.Errorf("put: %v", err)
		}
		if _, err := f.Open(t.Context(), key); !errors.Is(err, shipments.ErrNoFile) {
			t.Errorf("open: %v", err)
		}
	}
	if all := keys(t, f, time.Now().Add(time.Hour)); len(all) != 0 {
		t.Errorf("%v are left", all)
	}
}

func testMissing(t *testing.T, f shipments.Files) {
	if _, err := f.Open(t.Context(), newKey()); !errors.Is(err, shipments.ErrNoFile) {
		t.Errorf("open: %v", err)
	}
	if err := f.Delete(t.Context(), newKey()); err != nil {
		t.Errorf("delete: %v", err)
	}
}

func testList(t *testing.T, f shipments.Files) {
	first, second := newKey(), newKey()
	put(t, f, first, "1")
	put(t, f, second, "2")
	if all := keys(t, f, time.Now().Add(time.Hour)); len(all) != 2 || !slices.Contains(all, first) ||
		!slices.Contains(all, second) {
		t.Errorf("%v", all)
	}
	if all := keys(t, f, time.Now().Add(-time.Hour)); len(all) != 0 {
		t.Errorf("put within the hour: %v", all)
	}
	for _, err := range f.List(t.Context(), time.Now().Add(time.Hour)) {
		if err != nil {
			t.Error(err)
		}
		break // that is allowed
	}
	if err := f.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if all := keys(t, f, time.Now().Add(time.Hour)); !slices.Equal(all, []shipments.FileKey{second}) {
		t.Errorf("%v", all)
	}
}

func testAgain(t *testing.T, f shipments.Files) {
	key := newKey()
	put(t, f, key, "first")
	put(t, f, key, "second")
	if got := get(t, f, key); got != "second" {
		t.Errorf("%s", got)
	}
}

func TestDiskConforms(t *testing.T) {
	t.Parallel()
	conforms(t, func(t *testing.T) shipments.Files {
		t.Helper()
		disk, err := NewDisk(filepath.Join(t.TempDir(), "made", "if need be"))
		if err != nil {
			t.Fatal(err)
		}
		return disk
	})
}

// TestDiskIsPrivate to its user, and lists partial files, so that they are swept.
func TestDiskIsPrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk, err := NewDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	key := newKey()
	put(t, disk, key, "x")
	path := filepath.Join(disk.dir, formatKey(key))
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v (%v)", path, info.Mode(), err)
		}
	}
	killed := newKey()
	left := filepath.Join(filepath.Dir(path), partial+filepath.Base(formatKey(killed)))
	if err := os.WriteFile(left, []byte("hal"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "not ours"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	killed.Org = key.Org
	if all := keys(t, disk, time.Now().Add(time.Hour)); len(all) != 2 || !slices.Contains(all, killed) {
		t.Errorf("%v", all)
	}
	if err := disk.Delete(t.Context(), killed); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestCancelledPutLeavesNoFile(t *testing.T) {
	t.Parallel()
	disk, err := NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := disk.Put(ctx, newKey(), bytes.NewReader([]byte("x")), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if all := keys(t, disk, time.Now().Add(time.Hour)); len(all) != 0 {
		t.Errorf("%v are left", all)
	}
}

// TestMissingDirectoryIsAnOutage, as of a volume that is not mounted: no file is missing.
func TestMissingDirectoryIsAnOutage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "documents")
	disk, err := NewDisk(dir)
	if err = errors.Join(err, os.Remove(dir)); err != nil {
		t.Fatal(err)
	}
	put := disk.Put(t.Context(), newKey(), strings.NewReader("x"), 1) // does not make the directory, for Open
	if _, err := disk.Open(t.Context(), newKey()); !errors.Is(put, shipments.ErrUnavailable) ||
		!errors.Is(err, shipments.ErrUnavailable) || errors.Is(err, shipments.ErrNoFile) {
		t.Errorf("%v, %v", put, err)
	}
}

func TestParseKeyIsStrict(t *testing.T) {
	t.Parallel()
	key := newKey()
	if got, ok := parseKey(formatKey(key)); !ok || got != key {
		t.Errorf("%v, want %v", got, key)
	}
	for _, name := range []string{
		"", "x", formatKey(key) + "/x", "../" + formatKey(key), strings.ToUpper(formatKey(key)),
		strings.Replace(formatKey(key), "/", "", 1),
	} {
		if _, ok := parseKey(name); ok {
			t.Errorf("%q is a key", name)
		}
	}
}
