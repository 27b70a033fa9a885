package checks

import "github.com/quayside/quayside/shipments-svc/internal/shipments"

// union are the countries whose plant health and customs territory is the
// European Union's, as people write them, without accents.
var union = []country{
	{"AT", []string{"austria", "osterreich"}},
	{"BE", []string{"belgium", "belgie", "belgique", "belgica"}},
	{"BG", []string{"bulgaria"}},
	{"HR", []string{"croatia", "hrvatska"}},
	{"CY", []string{"cyprus"}},
	{"CZ", []string{"czechia", "czech republic"}},
	{"DK", []string{"denmark", "danmark", "dinamarca"}},
	{"EE", []string{"estonia"}},
	{"FI", []string{"finland", "suomi", "finlandia"}},
	{"FR", []string{"france", "francia", "franca", "frankryk"}},
	{"DE", []string{"germany", "deutschland", "alemania", "allemagne", "alemanha", "duitsland"}},
	{"GR", []string{"greece", "grecia", "hellas"}},
	{"HU", []string{"hungary"}},
	{"IE", []string{"ireland", "irlanda"}},
	{"IT", []string{"italy", "italia", "italie"}},
	{"LV", []string{"latvia"}},
	{"LT", []string{"lithuania"}},
	{"LU", []string{"luxembourg"}},
	{"MT", []string{"malta"}},
	{"NL", []string{"netherlands", "the netherlands", "holland", "nederland", "paises bajos", "pays bas", "paises baixos"}},
	{"PL", []string{"poland", "polska", "polonia"}},
	{"PT", []string{"portugal"}},
	{"RO", []string{"romania"}},
	{"SK", []string{"slovakia"}},
	{"SI", []string{"slovenia"}},
	{"ES", []string{"spain", "espana", "espagne", "espanha", "spanje"}},
	{"SE", []string{"sweden", "sverige", "suecia"}},
}

// britain is Great Britain; Northern Ireland is the Union's for plant health.
var britain = []country{
	{"GB", []string{"united kingdom", "great britain", "england", "scotland", "wales", "uk", "reino unido", "royaume uni", "verenigde koninkryk", "britain"}},
}

// demands is the table of documents that a destination demands. Papers that
// only some importers ask for are not in it.
var demands = []demand{
	{
		region: "the European Union", countries: union, document: shipments.PhytosanitaryCertificate,
		// Annex XI, part C.
		exempt: []string{"Ananas comosus", "Cocos nucifera", "Durio zibethinus", "Musa", "Phoenix dactylifera"},
		source: "Regulation (EU) 2016/2031, Articles 72 and 73; Implementing Regulation (EU) 2019/2072, Annex XI",
	},
	{
		region: "Great Britain", countries: britain, document: shipments.PhytosanitaryCertificate,
		exempt: []string{
			"Ananas comosus", "Cocos nucifera", "Durio zibethinus", "Musa", "Phoenix dactylifera", "Actinidia deliciosa", "Mangifera indica", "Diospyros kaki", "Passiflora edulis", "Psidium guajava",
			"Citrus sinensis", "Citrus reticulata", "Citrus limon", "Citrus aurantiifolia", "Citrus paradisi", "Citrus maxima",
		},
		source: "Regulation (EU) 2016/2031, Articles 72 and 73, and Implementing Regulation (EU) 2019/2072, Annex 11, as Great Britain has them",
	},
	{
		region: "the European Union", countries: union, document: shipments.CommercialInvoice,
		source: "Implementing Regulation (EU) 2015/2447, Article 145",
	},
}
