package packinglist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-pdf/fpdf"
)

// page builds a PDF.
type page struct {
	*fpdf.Fpdf
	widths []float64
	align  string // a letter for each column
	utf8   func(string) string
}

func newPDF(font string, widths []float64, align string) page {
	p := page{Fpdf: fpdf.New("L", "mm", "A4", ""), widths: widths, align: align}
	p.utf8 = p.UnicodeTranslatorFromDescriptor("")
	p.SetFont(font, "", 8)
	p.AddPage()
	return p
}

// text writes lines of text.
func (p page) text(lines ...string) {
	for _, l := range lines {
		p.CellFormat(0, 5, p.utf8(l), "", 1, "L", false, 0, "")
	}
}

// rows writes rows of the table.
func (p page) rows(rows ...[]string) {
	for _, row := range rows {
		for i, text := range row {
			p.CellFormat(p.widths[i], 5, p.utf8(text), "1", 0, string(p.align[i]), false, 0, "")
		}
		p.Ln(5)
	}
}

func (p page) save(t *testing.T, file string) {
	t.Helper()
	if err := p.OutputFileAndClose(file); err != nil {
		t.Fatal(err)
	}
}

// pdfs are the PDFs of the collections.
var pdfs = map[string]func(*testing.T, string){
	"lists/avocado-mx-two-pages.pdf": func(t *testing.T, file string) {
		p := newPDF("Helvetica", []float64{28, 40, 20, 22, 30, 32, 30}, "LLCRRRL")
		//nolint:misspell // Spanish
		heading := [][]string{
			{"No. de", "Producto", "Calibre", "No. de", "Peso neto", "Peso neto", "Huerto"},
			{"Tarima", "", "", "cajas", "por caja (kg)", "tarima (kg)", ""},
		}
		p.text(
			"EMPAQUE AGUACATERO TANCÍTARO S. de R.L. de C.V.",
			"Carretera Peribán km 4, Michoacán, México",
			"LISTA DE EMPAQUE",
			"Contenedor: TTNU 815640-4    Sello: MX0091    Buque: MSC Shanghai V",
			"",
		)
		for i := range 40 {
			if i%25 == 0 {
				if i > 0 {
					p.AddPage()
				}
				p.rows(heading...)
			}
			p.rows(
				[]string{
					fmt.Sprintf("T-%04d", i+1),
					"Aguacate Hass",
					[]string{"36", "40", "48", "60"}[i%4],
					"80",
					"11.34",
					"907.20",
					fmt.Sprintf("HUE0816%04d", i),
				},
			)
		}
		p.rows([]string{"TOTAL", "", "", "3,200", "", "36,288.00", ""})
		p.text("Página 2 de 2")
		p.save(t, file)
	},
	"lists/grapes-eg-thousands.pdf": func(t *testing.T, file string) {
		p := newPDF("Times", []float64{25, 35, 35, 20, 25, 30, 30}, "CLLCRRR")
		p.text(
			"NILE DELTA GRAPES FOR EXPORT",
			"Sadat City, Menoufia, Egypt",
			"Shipper: Nile Delta Grapes      Consignee: Fresh Direct Ltd, Spalding",
			"Total pallets: 21",
			"",
		)
		p.rows([]string{"Pallet #", "Commodity", "Variety", "Grade", "Ctns", "N.W. (kgs)", "G.W. (kgs)"})
		for i := range 20 {
			p.rows([]string{fmt.Sprint(i + 1), "Table grapes", "Early Sweet", "XL", "240", "1,080.00", "1,188.00"})
		}
		p.rows([]string{"", "", "TOTAL", "", "4,800", "21,600.00", "23,760.00"})
		p.text("We certify that the above is true and correct.", "Page 1 of 1")
		p.save(t, file)
	},
	"lists/apple-pl-headings-once.pdf": func(t *testing.T, file string) {
		p := newPDF("Courier", []float64{30, 30, 45, 25, 25, 40}, "LLLLRR")
		p.text("Sady Grojeckie Sp. z o.o.", "Packing list no PL/26/44", "")
		p.rows([]string{"Pallet no.", "Product", "Variety", "Size", "Boxes", "Net weight kg"})
		for i := range 60 {
			p.rows(
				[]string{
					fmt.Sprintf("SG%03d", i+1),
					"Apples",
					[]string{"Idared", "Jonagold", "Golden Delicious"}[i/20],
					"70-80",
					"56",
					"728",
				},
			)
		}
		p.save(t, file)
	},
	"lists/orange-tr-wrapped.pdf": func(t *testing.T, file string) {
		p := newPDF("Helvetica", []float64{25, 42, 20, 25, 35}, "LLLRR")
		p.text("Akdeniz Narenciye A.S.", "Mersin / Turkiye", "", "Vessel: Ege Star    Voyage: 77W", "")
		p.rows([]string{"Pallet No", "Description", "Calibre", "Packages", "Net per package"})
		for i := range 8 {
			p.rows(
				[]string{fmt.Sprintf("M%02d", i+1), "Fresh oranges Washington", fmt.Sprint(4 + i%3), "60", "15 kg"},
				[]string{"", "Navel, class I", "", "", ""},
			)
		}
		p.text("Total packages: 490")
		p.save(t, file)
	},
	"lists/kiwi-it-stamped.pdf": func(t *testing.T, file string) {
		p := newPDF("Helvetica", []float64{30, 40, 25, 25, 40}, "LLLRR")
		p.UseTemplate(p.CreateTemplate(func(form *fpdf.Tpl) {
			in := p
			in.Fpdf = &form.Fpdf
			in.SetFont("Helvetica", "", 8)
			in.text(
				"Consorzio Kiwi Latina Soc. Coop.",
				"Packing list KL-26-0098",
				"Container: CAIU 560221-3    Vessel: MSC Elma",
				"",
			)
			in.rows([]string{"Pallet No", "Product", "Size", "Cartons", "Net weight kg"})
			for i := range 14 {
				in.rows([]string{fmt.Sprintf("KL%03d", i+1), "Kiwi Hayward", fmt.Sprint(25 + 2*(i%3)), "264", "898"})
			}
			in.rows([]string{"TOTAL", "", "", "3.696", "12.572"})
		}))
		p.UseTemplate(p.CreateTemplate(func(form *fpdf.Tpl) {
			form.SetFont("Helvetica", "B", 28)
			form.TransformBegin()
			form.TransformRotate(35, 90, 120)
			form.Text(60, 120, "CONTROLLATO 14.11.2026")
			form.TransformEnd()
		}))
		p.save(t, file)
	},
	"lists/mango-sn-scan.pdf": func(t *testing.T, file string) {
		p := newPDF("Helvetica", nil, "")
		p.Rect(20, 20, 200, 120, "D")
		p.Line(20, 40, 220, 40)
		p.save(t, file)
	},
	"lists/lime-vn-encrypted.pdf": func(t *testing.T, file string) {
		p := newPDF("Helvetica", []float64{30, 30, 30}, "LLL")
		p.SetProtection(fpdf.CnProtectPrint, "user", "owner")
		p.rows([]string{"Pallet no", "Boxes", "Net kg"}, []string{"1", "200", "4"})
		p.save(t, file)
	},
	"documents/phyto-ke.pdf": func(t *testing.T, file string) {
		p := newPDF("Helvetica", []float64{120, 120}, "LL")
		p.text(
			"REPUBLIC OF KENYA - KENYA PLANT HEALTH INSPECTORATE SERVICE",
			"PHYTOSANITARY CERTIFICATE",
			"No: KEPHIS/2026/771402",
			"",
		)
		p.rows(
			[]string{"1. Name and address of exporter", "2. Declared name and address of consignee"},
			[]string{"Muranga Highlands Fresh Ltd", "Van Dijk Fruit Import B.V., Barendrecht"},
			[]string{
				"3. Number and description of packages",
				"4. Distinguishing marks",
			},
			[]string{"1584 cartons", "MHF"},
			[]string{"5. Place of origin", "6. Declared means of conveyance"},
			[]string{"Kenya", "MSC Carmen"},
			[]string{
				"7. Declared point of entry",
				"8. Name of produce and quantity declared",
			},
			[]string{"Rotterdam", "Fresh avocado fruit 6336 kg"},
			[]string{"9. Botanical name of plants", ""},
			[]string{"Persea americana", ""},
		)
		p.text(
			"",
			"This is to certify that the plants, plant products or other regulated articles described herein have been "+
				"inspected",
			"according to appropriate official procedures and are considered to be free from the quarantine pests specified by "+
				"the importing party.",
		)
		p.save(t, file)
	},
	"documents/bill-of-lading-ke.pdf": func(t *testing.T, file string) {
		p := newPDF("Times", []float64{60, 60, 60, 60}, "LLLL")
		p.text(
			"BILL OF LADING FOR OCEAN TRANSPORT OR MULTIMODAL TRANSPORT",
			"B/L No: MEDUKE771204      Booking No: 177KEN0042",
			"Shipper: Muranga Highlands Fresh Ltd",
			strings.Repeat("-", 60),
			"",
		)
		p.rows(
			[]string{"Vessel", "Voyage No", "Port of loading", "Port of discharge"},
			[]string{"MSC Carmen", "XA442A", "Mombasa", "Rotterdam"},
			[]string{
				"Container No",
				"Seal No",
				"Description of goods",
				"Gross weight",
			},
			[]string{"TRIU 881203-0", "KE7740", "1584 cartons avocados", "6840 kg"},
		)
		p.save(t, file)
	},
}
