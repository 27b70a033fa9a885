package tables

import (
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
func (p *paper) drawn(
	width, height int, format enums.FPDF_BITMAP_FORMAT, flags enums.FPDF_RENDER_FLAG,
) []byte {
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

// inked reports whether the picture shows something in an area of the page: its pixels and those around
// differ.
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
