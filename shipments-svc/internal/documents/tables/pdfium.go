package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	damage "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// PDFium is a program in WebAssembly, without access to files: its memory has at most maxPDFium pages of 64 KiB.
const maxPDFium = 1536

// maxPDFs is how many PDFs may be open in a process.
const maxPDFs = 16

// engine compiles PDFium, once for all documents of a process.
var engine struct {
	sync.Once
	pool pdfium.Pool
	err  error
}

// PDFiumDirectory returns the directory of the user where PDFium is kept compiled, or "".
func PDFiumDirectory() string {
	caches, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(caches, "quayside", "pdfium")
}

// StartPDF loads PDFium, compiled, from a directory, where PreparePDF put it; otherwise it compiles it, which takes
// seconds and 350 MiB, and puts it there if it may. Read does so itself with PDFiumDirectory.
func StartPDF(directory string) error {
	engine.Do(func() {
		if engine.pool, engine.err = compiled(directory); engine.err != nil && directory != "" {
			engine.pool, engine.err = compiled("")
		}
	})
	if engine.err != nil {
		return fmt.Errorf("start PDFium: %w", engine.err)
	}
	return nil
}

// PreparePDF compiles PDFium into a directory, unless it is there.
func PreparePDF(directory string) error {
	pool, err := compiled(directory)
	if err != nil {
		return fmt.Errorf("prepare PDFium: %w", err)
	}
	return pool.Close()
}

// compiled returns PDFium as it is in a directory, where it is compiled into first; without one it is not kept.
func compiled(directory string) (pdfium.Pool, error) {
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithMemoryLimitPages(maxPDFium)
	if directory != "" {
		cache, err := wazero.NewCompilationCacheWithDir(directory)
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(cache)
	}
	return webassembly.Init(webassembly.Config{
		Context: context.Background(), MaxTotal: maxPDFs, RuntimeConfig: config, FSConfig: wazero.NewFSConfig(),
		Stdout: io.Discard, Stderr: io.Discard,
	})
}

// document is an open PDF.
type document struct {
	pdfium.Pdfium
	ref   references.FPDF_DOCUMENT
	pages int
}

// opened opens a PDF in a PDFium of its own.
func opened(raw []byte) (*document, error) {
	if err := StartPDF(PDFiumDirectory()); err != nil {
		return nil, err
	}
	p, err := engine.pool.GetInstance(time.Minute)
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	d := &document{Pdfium: p}
	of, err := p.OpenDocument(&requests.OpenDocument{File: &raw})
	if errors.Is(err, damage.ErrPassword) || errors.Is(err, damage.ErrSecurity) {
		err = unreadable(Encrypted, "the document is password-protected")
	} else if err != nil {
		err = unreadable(Malformed, "the file is not a PDF, or it is damaged")
	} else {
		d.ref = of.Document
		d.pages = must(p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})).PageCount
		return d, nil
	}
	d.close()
	return nil, err
}

// must returns what PDFium answers. A failure of it is damage of the document, and ends reading: see recovered.
func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

// close ends PDFium, whose memory is gone with it.
func (d *document) close() { _ = d.Close() }

// matrix transforms points: x' = A·x + C·y + E, y' = B·x + D·y + F (ISO 32000-1, 8.3.4).
type matrix struct{ a, b, c, d, e, f float64 }

// times returns the transformation by m and then n.
func (m matrix) times(n matrix) matrix {
	e, f := n.at(m.e, m.f)
	return matrix{m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d, m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d, e, f}
}

// at transforms a point.
func (m matrix) at(x, y float64) (float64, float64) { return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f }

// turned returns a point in coordinates in which text at an angle runs from left to right.
func turned(x, y, angle float64) (float64, float64) {
	sin, cos := math.Sincos(angle)
	return x*cos + y*sin, y*cos - x*sin
}
