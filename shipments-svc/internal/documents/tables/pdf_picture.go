package tables

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"math"
	"slices"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// picture is a page as a viewer shows it, in shades of grey.
type picture struct {
	pixels        []byte
	width, height int
	scale         float64 // pixels of a point
	turn          enums.FPDF_PAGE_ROTATION
	shown         area
}

// Limits of a picture: its pixels, and the fewest of a point that show small letters.
const maxPixels, minScale = 4 << 20, 0.5

// picture draws the page. It returns nil for a page that is too large to show letters.
func (p *paper) picture() *picture {
	turn := must(p.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: p.Page})).PageRotation
	width, height := p.shown.right-p.shown.left, p.shown.top-p.shown.bottom
	if turn%2 == 1 {
		width, height = height, width
	}
	scale := min(2, math.Sqrt(maxPixels/width/height))
	v := &picture{turn: turn, shown: p.shown, scale: scale, width: int(width * scale), height: int(height * scale)}
	if !(scale >= minScale) || v.width == 0 || v.height == 0 {
		return nil
	}
	v.pixels = p.drawn(v.width, v.height, enums.FPDF_BITMAP_FORMAT_GRAY, 0)
	return v
}

// drawn returns the pixels of the page drawn in a size.
func (p *paper) drawn(width, height int, format enums.FPDF_BITMAP_FORMAT, flags enums.FPDF_RENDER_FLAG) []byte {
	b := must(p.FPDFBitmap_CreateEx(&requests.FPDFBitmap_CreateEx{
		Width: width, Height: height, Format: format, Pointer: uint64(0),
	})).Bitmap
	defer func() { _, _ = p.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: b}) }()
	must(p.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{
		Bitmap: b, Color: math.MaxUint32, Width: width, Height: height,
	}))
	must(p.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{
		Bitmap: b, Page: p.Page, SizeX: width, SizeY: height, Flags: flags,
	}))
	return slices.Clone(must(p.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: b})).Buffer)
}

// inked reports whether the picture shows something in an area of the page: its pixels and those around differ.
func (v *picture) inked(a area) bool {
	const contrast, around = 12, 1
	left, top := v.at(a.left, a.top)
	right, bottom := v.at(a.right, a.bottom)
	if left > right {
		left, right = right, left
	}
	if top > bottom {
		top, bottom = bottom, top
	}
	stride := len(v.pixels) / v.height
	low, high := byte(math.MaxUint8), byte(0)
	for y := max(0, top-around); y <= min(v.height-1, bottom+around); y++ {
		for x := max(0, left-around); x <= min(v.width-1, right+around); x++ {
			low, high = min(low, v.pixels[y*stride+x]), max(high, v.pixels[y*stride+x])
		}
	}
	return high > low && high-low >= contrast
}

// at returns the pixel of a point of the page.
func (v *picture) at(x, y float64) (column, row int) {
	left, down := x-v.shown.left, v.shown.top-y
	switch v.turn {
	case enums.FPDF_PAGE_ROTATION_90_CW:
		left, down = y-v.shown.bottom, x-v.shown.left
	case enums.FPDF_PAGE_ROTATION_180_CW:
		left, down = v.shown.right-x, y-v.shown.bottom
	case enums.FPDF_PAGE_ROTATION_270_CW:
		left, down = v.shown.top-y, v.shown.right-x
	default:
	}
	return int(math.Floor(left * v.scale)), int(math.Floor(down * v.scale))
}

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
