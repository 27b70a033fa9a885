package tables

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// Picture returns a page of a PDF as a viewer shows it, with its annotations and filled in fields, as a PNG. Pages
// count from 1. Its errors are those of Read, and Unreadable with the code NoPage.
func Picture(content io.ReaderAt, size int64, number int) (_ []byte, err error) {
	raw, err := whole(content, size)
	if err != nil {
		return nil, err
	}
	defer recovered(&err)
	d, err := opened(raw)
	if err != nil {
		return nil, err
	}
	defer d.close()
	if number < 1 || number > min(d.pages, MaxPages) {
		return nil, unreadable(NoPage, "the document has %d pages", d.pages)
	}
	p := &paper{document: d}
	p.load(number - 1)
	p.flatten(number - 1)
	wide := float64(must(d.FPDF_GetPageWidthF(&requests.FPDF_GetPageWidthF{Page: p.Page})).PageWidth)
	high := float64(must(d.FPDF_GetPageHeightF(&requests.FPDF_GetPageHeightF{Page: p.Page})).PageHeight)
	scale := min(2, math.Sqrt(maxPixels/wide/high))
	width, height := max(1, int(wide*scale)), max(1, int(high*scale))
	pixels := p.drawn(width, height, enums.FPDF_BITMAP_FORMAT_BGRX, 0)
	drawn := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := 0; i+3 < len(pixels); i += 4 {
		drawn.Pix[i], drawn.Pix[i+1], drawn.Pix[i+2], drawn.Pix[i+3] = pixels[i+2], pixels[i+1], pixels[i], math.MaxUint8
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, drawn)
	return b.Bytes(), err
}
