package tables

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
)

// MaxElements is the maximum number of XML elements of a workbook. A cell with a
// value has two, so this is more than MaxCells. Elements cost time and memory, and
// a part of 64 MiB, compressed to a few kilobytes, may have 16 million.
const MaxElements = 2_500_000

// markup refuses a workbook with too much XML before it is parsed.
func (b *book) markup(raw []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return unreadable(Malformed, "the file is damaged or not a workbook")
	}
	count := &elements{left: MaxElements}
	unpacked := int64(MaxUnpacked)
	var declared uint64
	for _, entry := range archive.File {
		if declared += min(entry.UncompressedSize64, MaxUnpacked+1); declared > MaxUnpacked {
			return unreadable(TooLarge, "unpacked, the workbook has more than %d MiB", MaxUnpacked>>20)
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
		part, err := entry.Open()
		if err != nil {
			return unreadable(Malformed, "the workbook is damaged")
		}
		n, err := io.Copy(count, io.LimitReader(part, unpacked+1))
		_ = part.Close() // nothing was written to it
		switch unpacked -= n; {
		case unpacked < 0:
			return unreadable(TooLarge, "unpacked, the workbook has more than %d MiB", MaxUnpacked>>20)
		case count.left < 0:
			return unreadable(TooLarge, "the workbook has more than %d XML elements", MaxElements)
		case err != nil:
			return unreadable(Malformed, "the workbook is damaged")
		}
	}
	return nil
}

// elements is a writer that counts XML elements down.
type elements struct{ left int }

func (e *elements) Write(p []byte) (int, error) {
	e.left -= bytes.Count(p, []byte("<")) - bytes.Count(p, []byte("</"))
	if e.left < 0 {
		return 0, fmt.Errorf("more than %d XML elements", MaxElements)
	}
	return len(p), nil
}
