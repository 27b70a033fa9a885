package vocabulary

import "strings"

// Field is the meaning of a column. Fields that a person may give a column are those of
// shipments.MappingFields.
type Field string

// The fields.
const (
	None         Field = ""
	PalletNumber Field = "pallet_number"
	PalletTo     Field = "pallet_number_to" // the last of a range of pallets
	PalletCount  Field = "pallets"          // number of pallets of a line
	SSCC         Field = "sscc"
	GTIN         Field = "gtin"
	Produce      Field = "produce_name"
	Variety      Field = "variety"
	Calibre      Field = "calibre"
	Pieces       Field = "pieces" // in a box: the calibre, where there is no other
	Boxes        Field = "boxes"
	BoxWeight    Field = "box_weight"       // net weight of one box
	BoxGross     Field = "box_gross_weight" // gross weight of one box
	NetWeight    Field = "net_weight"       // of all boxes
	GrossWeight  Field = "gross_weight"     // likewise
	AnyWeight    Field = "weight"           // net or gross, of a box or of all
	FruitWeight  Field = "produce_weight"   // the net weight of the line, or that of one fruit
	Pack         Field = "pack"             // "CTN 4.5KG"
	Lot          Field = "lot"
	Orchard      Field = "orchard"
	PUC          Field = "puc"
	PHC          Field = "phc"
	GGN          Field = "ggn"
	Grower       Field = "grower"
	Harvested    Field = "harvested_on"
	Packed       Field = "packed_on"
	Recorder     Field = "temperature_recorder"
	Container    Field = "container_number"
	Seal         Field = "seal_number"
	Line         Field = "line"          // a running number
	Carton       Field = "carton_number" // of one box
	Other        Field = "other"         // understood, and not needed
)

// Name returns a field for people.
func (f Field) Name() string {
	if f == Pieces {
		f = Calibre
	}
	return strings.ReplaceAll(string(f), "_", " ")
}

// worths are the scores of fields for a row being the header.
var worths = map[Field]int{
	PalletNumber: 4, SSCC: 4, Boxes: 3, BoxWeight: 3, NetWeight: 3, GrossWeight: 2, AnyWeight: 2, Calibre: 2, Produce: 2,
	Variety: 2, Pieces: 1, Pack: 1, Lot: 1, Orchard: 1, PUC: 1, PHC: 1, GGN: 1, Grower: 1, PalletCount: 1, Carton: 1,
}

// Worth is the score of a field for a row being the header.
func Worth(f Field) int { return worths[f] }
