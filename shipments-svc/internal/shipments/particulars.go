package shipments

// Particulars is what a document says of a pallet, or of a line of it, beside the
// five fields of a pallet. Empty or zero: it does not say. Of a pallet whose lines
// differ, texts that differ are empty, and weights are sums.
type Particulars struct {
	NetWeight   Grams `json:"net_weight_g,omitempty"`   // of all boxes
	GrossWeight Grams `json:"gross_weight_g,omitempty"` // of all boxes
	Labels
}

// Labels are the texts of Particulars.
type Labels struct {
	SSCC        string `json:"sscc,omitempty"` // 18 digits (GS1)
	GTIN        string `json:"gtin,omitempty"` // of the boxes
	Lot         string `json:"lot,omitempty"`
	Orchard     string `json:"orchard,omitempty"` // or block
	PUC         string `json:"puc,omitempty"`     // code of the production unit
	PHC         string `json:"phc,omitempty"`     // code of the packhouse
	GGN         string `json:"ggn,omitempty"`     // GLOBALG.A.P. number
	Grower      string `json:"grower,omitempty"`
	HarvestedOn string `json:"harvested_on,omitempty"` // a date as in ISO 8601, or as written where it is ambiguous
	PackedOn    string `json:"packed_on,omitempty"`    // likewise
	Recorder    string `json:"temperature_recorder,omitempty"`
	Container   string `json:"container_number,omitempty"`
	Seal        string `json:"seal_number,omitempty"`
}
