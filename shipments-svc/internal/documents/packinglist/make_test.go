package packinglist

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"
)

var remake = flag.Bool("make", false, "write the workbooks and PDFs of the collections")

// TestCollectionExists writes the binary files of the collections with -make.
// testdata/README.md says how they are made.
func TestCollectionExists(t *testing.T) {
	t.Parallel()
	if !*remake {
		for _, file := range []string{"lists/avocado-ke-merged.xlsx", "documents/phyto-ke.pdf"} {
			if _, err := os.Stat(filepath.Join("testdata", file)); err != nil {
				t.Error(err)
			}
		}
		return
	}
	for name, fill := range workbooks {
		w := &workbook{t: t, f: excelize.NewFile(), sheet: "Sheet1"}
		fill(w)
		options := excelize.Options{}
		if name == "lists/grapes-eg-encrypted.xlsx" {
			options.Password = "secret"
		}
		w.check(w.f.SaveAs(filepath.Join("testdata", name), options))
	}
	for name, fill := range pdfs {
		fill(t, filepath.Join("testdata", name))
	}
}

// workbook builds a workbook.
type workbook struct {
	t     *testing.T
	f     *excelize.File
	sheet string
	row   int // the last row written
}

func (w *workbook) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// named names the sheet, or begins another.
func (w *workbook) named(name string) {
	if w.row == 0 {
		w.check(w.f.SetSheetName(w.sheet, name))
	} else if _, err := w.f.NewSheet(name); err != nil {
		w.t.Fatal(err)
	}
	w.sheet, w.row = name, 0
}

// add writes rows: nil is an empty cell, a formula has its stored value.
func (w *workbook) add(rows ...[]any) {
	for _, row := range rows {
		w.row++
		for col, v := range row {
			name, err := excelize.CoordinatesToCellName(col+1, w.row)
			w.check(err)
			switch v := v.(type) {
			case nil:
			case formula:
				if v.stored != nil {
					w.check(w.f.SetCellValue(w.sheet, name, v.stored))
				}
				w.check(w.f.SetCellFormula(w.sheet, name, v.text))
			default:
				w.check(w.f.SetCellValue(w.sheet, name, v))
			}
		}
	}
}

type formula struct {
	text   string
	stored any
}

func (w *workbook) merge(from, to string) { w.check(w.f.MergeCell(w.sheet, from, to)) }

// format gives a range of cells a number format.
func (w *workbook) format(from, to, format string) {
	style, err := w.f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	w.check(err)
	w.check(w.f.SetCellStyle(w.sheet, from, to, style))
}

func letterhead(lines ...string) (rows [][]any) {
	for _, l := range lines {
		rows = append(rows, []any{l})
	}
	return rows
}

// workbooks are the workbooks of the collections.
var workbooks = map[string]func(*workbook){
	"lists/avocado-ke-merged.xlsx": func(w *workbook) {
		w.named("Packing List")
		w.add(
			letterhead(
				"MURANGA HIGHLANDS FRESH LTD",
				"P.O. Box 118, Thika, Kenya",
				"GLOBALG.A.P. 4063061000000",
				"",
				"PACKING LIST",
			)...)
		w.merge("A1", "H1")
		w.merge("A5", "H5")
		w.add(
			[]any{"Invoice No:", "MHF/2026/0391", nil, nil, "Container No:", "TRIU 881203-0"},
			[]any{"Vessel:", "MSC Carmen", nil, nil, "Voyage:", "XA442A"},
			[]any{
				"Port of loading:",
				"Mombasa",
				nil,
				nil,
				"Port of discharge:",
				"Rotterdam",
			},
			[]any{"Phyto No:", "KEPHIS/2026/771402"},
			[]any{},
			[]any{},
		)
		w.add(
			[]any{"Pallet", "Variety", "Size", "Boxes", "Weight (kg)", nil, nil, "Grower"},
			[]any{"No.", nil, nil, nil, "Net per box", "Net", "Gross", nil},
		)
		w.merge("E12", "G12")
		for _, col := range []string{"B", "C", "D", "H"} {
			w.merge(col+"12", col+"13")
		}
		for i := range 6 {
			w.add(
				[]any{fmt.Sprintf("KE-%03d", i+1), "Avocado Hass", 16 + 2*(i%3), 176, 4, 704, 760, "MK01"},
				[]any{nil, nil, 18 + 2*(i%3), 88, 4, 352, 380, "MK07"},
			)
			w.merge(fmt.Sprintf("A%d", w.row-1), fmt.Sprintf("A%d", w.row))
			w.merge(fmt.Sprintf("B%d", w.row-1), fmt.Sprintf("B%d", w.row))
		}
		w.add(
			[]any{"TOTAL", nil, nil, 1584, nil, 6336, 6840},
			[]any{},
			[]any{"Prepared by: J. Wanjiru", nil, nil, nil, "Signature:"},
		)
	},
	"lists/grapes-cl-hidden.xlsx": func(w *workbook) {
		w.named("Detalle")
		w.add(letterhead("Viñas del Aconcagua Export SpA", "Detalle de embarque")...)
		w.add([]any{"Nave:", "Polar Chile", "Viaje:", "2611N"}, []any{"Especie:", "Uva de mesa"}, []any{},
			[]any{"Folio Pallet", "Calibre", "Cajas", "Peso neto caja (kg)", "CSG"}, []any{"Variedad: Thompson Seedless"})
		for i := range 5 {
			w.add([]any{300100 + i, []string{"J", "XL", "L"}[i%3], 108, 8.2, 100231})
		}
		w.add([]any{"Variedad: Red Globe"})
		for i := range 5 {
			w.add([]any{300200 + i, []string{"XJ", "J"}[i%2], 108, 8.2, 100447})
		}
		w.add([]any{300299, "X", 108, 8.2, 100447}, []any{"Total", nil, 1080})
		w.check(w.f.SetRowVisible("Detalle", w.row-1, false))
		w.named("Borrador")
		w.add([]any{"Folio Pallet", "Calibre", "Cajas", "Peso neto caja (kg)"}, []any{999999, "J", 1, 8.2})
		w.check(w.f.SetSheetVisible("Borrador", false))
	},
	"lists/citrus-ma-formulas.xlsx": func(w *workbook) {
		w.named("Liste")
		w.add(letterhead("Domaine du Souss Agrumes SARL", "LISTE DE COLISAGE")...)
		w.add([]any{"Navire/Voyage", "Atlas Reefer / 118", nil, "N° plomb", "MA-55120"}, []any{},
			[]any{"N° palette", "Produit", "Calibre", "Nb colis", "Poids net colis", "Poids net total (kg)"})
		first := w.row + 1
		for i := range 8 {
			n := w.row + 1
			w.add(
				[]any{
					fmt.Sprintf("P%02d", i+1),
					"Mandarine Nadorcott",
					[]string{"1X", "1", "2", "3"}[i%4],
					84,
					10,
					formula{fmt.Sprintf("D%d*E%d", n, n), 840},
				},
			)
		}
		w.add(
			[]any{"P09", "Mandarine Nadorcott", "2", formula{"SUM(1,83)", nil}, 10, formula{"D14*E14", nil}},
			[]any{
				"Total général",
				nil,
				nil,
				formula{fmt.Sprintf("SUM(D%d:D%d)", first, w.row), 756},
				nil,
				formula{"SUM(F6:F14)", 7560},
			},
		)
	},
	"lists/lemon-ar-dates.xlsx": func(w *workbook) {
		w.named("Embarque 12")
		w.add([]any{"Tucumán Limones S.A.", nil, nil, nil, "Semana", 24}, []any{},
			[]any{"Pallet Nro", "Fruta", "Calibre", "Cajas", "Peso neto por caja"})
		for i := range 6 {
			w.add(
				[]any{
					i + 7,
					"Limón Eureka",
					[]any{"105", 46097, "120", 46127, "138", "165"}[i],
					80,
					[]any{15, 15.0, 15, 15.2, 15, 18}[i],
				},
			)
		}
		w.format("A4", "A9", "00000")
		w.format("C5", "C5", "d-mmm")
		w.format("C7", "C7", "d-mmm")
		w.format("E4", "E9", `0.00" kg"`)
	},
	"lists/stonefruit-us-two-containers.xlsx": func(w *workbook) {
		for c, number := range []string{"HLBU 900017-7", "HLBU 900018-2"} {
			w.named(fmt.Sprintf("Container %d", c+1))
			w.add(
				[]any{"Kings River Stone Fruit Inc."},
				[]any{"Container #", number, nil, "Seal #", 771200 + c},
				[]any{"All weights in lbs"},
				[]any{},
				[]any{"Tag #", "Pallet #", "Commodity", "Variety", "Size", "Qty cartons", "Net weight"},
			)
			for i := range 10 {
				w.add(
					[]any{
						i + 1,
						fmt.Sprintf("%d%02d", c+1, i+1),
						[]string{"Nectarine", "Peach"}[c],
						[]string{"Arctic Snow", "Zee Lady"}[c],
						[]int{40, 50, 60}[i%3],
						96,
						96 * 18,
					},
				)
			}
			w.add([]any{"TOTAL", nil, nil, nil, nil, 960, 96 * 18 * 10})
		}
		w.named("Notes")
		w.add([]any{"Pulp temperature 34 F at loading"})
	},
	//nolint:misspell // Spanish
	"lists/avocado-pe-sscc-numbers.xlsx": func(w *workbook) {
		w.named("PL")
		w.add(
			[]any{"AGRÍCOLA CERRO PRIETO NORTE S.A.C."},
			[]any{"SSCC", "Nro Pallet", "Producto", "Calibre", "Cajas", "Kg neto/caja"},
		)
		for i := range 6 {
			w.add([]any{377501239900000000 + float64(1000*i), fmt.Sprintf("CP-%d", 81+i), "Palta Hass", 12 + 2*i, 264, 4})
		}
	},
	"lists/mandarin-za-page-totals.xlsx": func(w *workbook) {
		w.named("Sheet1")
		w.add(
			[]any{"Sundays Valley Sitrus Koöp"},
			[]any{"Loading Report / Packing List"},
			[]any{"Vessel", "Maersk Cabo Verde", "Consignment No", "SVS-26-1188"},
		)
		heading := []any{"Pallet ID", "Commodity", "Variety", "Count", "Pack", "Ctns", "Nett mass", "Gross mass", "PUC"}
		for page := range 3 {
			w.add([]any{}, heading)
			for i := range 6 {
				w.add(
					[]any{
						fmt.Sprintf("A%04d", 6*page+i+1),
						"Soft Citrus",
						[]string{"Nadorcott", "Tango", "Orri"}[page],
						[]string{"1XX", "1X", "1", "2"}[i%4],
						"M15C",
						75,
						1125,
						1210,
						"C2210",
					},
				)
			}
			w.add([]any{"Page total", nil, nil, nil, nil, 450, 6750, 7260})
		}
		w.add([]any{"Grand total", nil, nil, nil, nil, 1350, 20250, 21780, nil}, []any{"Pallets: 18"})
	},
	"lists/apple-it-text-numbers.xlsx": func(w *workbook) {
		w.named("Distinta")
		w.add(
			[]any{"Consorzio Mele Val Venosta Soc. Coop."},
			[]any{"Pallet", "Product", "Variety", "Size", "Cartons", "Net kg", "Gross kg", "Lot"},
		)
		for i := range 7 {
			w.add(
				[]any{
					fmt.Sprintf("IT%d", 5001+i),
					"Apples",
					"Golden Delicious",
					"75/80",
					"49",
					"637,00",
					"686,50",
					fmt.Sprintf("L%d", 26100+i/2),
				},
			)
		}
		w.add(
			[]any{"IT5008", "Apples", "Golden Delicious", "80/85", "49", "637.00", "686.50", "L26104"},
			[]any{"Total 8 pallets", nil, nil, nil, "392", "5.096,00", "5.492,00"},
		)
	},
	"lists/cherry-cl-summary-and-detail.xlsx": func(w *workbook) {
		w.named("Resumen")
		w.add(
			[]any{"Exportadora Cerezas del Maule Ltda."},
			[]any{"Variedad", "Pallets", "Cajas"},
			[]any{"Lapins", 3, 720},
			[]any{"Regina", 2, 480},
			[]any{"Total", 5, 1200},
		)
		w.named("Detalle pallets")
		w.add([]any{"N° Pallet", "Especie", "Variedad", "Calibre", "Cajas", "Kilos netos caja"})
		for i := range 5 {
			w.add(
				[]any{
					fmt.Sprintf("CM%d", 440+i),
					"Cerezas",
					[]string{"Lapins", "Regina"}[i/3],
					[]string{"XL", "J", "2J"}[i%3],
					240,
					5,
				},
			)
		}
	},
	"lists/pear-za-mixed-pallet.xlsx": func(w *workbook) {
		w.named("Paklys")
		w.add(
			[]any{"Ceres Bergvrugte Bpk"},
			[]any{"Palet nr", "Vrug", "Kultivar", "Telling", "Kartonne", "Netto massa", "Bruto massa"},
			[]any{
				"CB001",
				"Pere",
				"Packham's Triumph",
				60,
				80,
				1000,
				1084,
			},
			[]any{"CB002", "Pere", "Packham's Triumph", 60, 40, 1000, 1084},
			[]any{nil, "Pere", "Packham's Triumph", 70, 40, nil, nil},
			[]any{
				"CB003",
				"Pere",
				"Forelle",
				80,
				80,
				1000,
				1084,
			},
			[]any{"CB004", "Pere", "Forelle", 80, 80, 100, 1084},
			[]any{"CB002", "Pere", "Forelle", 90, 8, 100, nil},
		)
		w.merge("F4", "F5")
		w.merge("G4", "G5")
	},
	"lists/grapes-eg-encrypted.xlsx": func(w *workbook) { w.add([]any{"Pallet No", "Boxes", "Net kg"}, []any{1, 2, 3}) },
	"documents/invoice-ke.xlsx": func(w *workbook) {
		w.named("Invoice")
		w.add(letterhead("MURANGA HIGHLANDS FRESH LTD", "COMMERCIAL INVOICE")...)
		w.add(
			[]any{"Invoice No:", "MHF/2026/0391", nil, "Date:", "2026-11-02"},
			[]any{"Consignee:", "Van Dijk Fruit Import B.V."},
			[]any{"Container: TRIU 881203-0  Vessel: MSC Carmen  Voyage: XA442A"},
			[]any{},
			[]any{
				"Description of goods",
				"Quantity",
				"Unit price EUR",
				"Amount EUR",
			},
			[]any{"Fresh avocados, Hass", 1584, 7.2, 11404.8},
			[]any{"Total", 1584, nil, 11404.8},
			[]any{"Net weight: 6,336 kg"},
		)
	},
}
