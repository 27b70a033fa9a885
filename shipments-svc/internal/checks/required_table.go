package checks

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// union lists the members of the European Union since 2020. Names are those of
// Unicode's CLDR in several languages, which a test compares, then their own;
// without accents.
//
//nolint:misspell // the words are of other languages, too
var union = []country{
	{"AT", []string{"austria", "autriche", "oostenryk", "osterreich"}},
	{"BE", []string{"belgium", "belgica", "belgique", "belgie"}},
	{"BG", []string{"bulgaria", "bulgarie", "bulgarye"}},
	{"HR", []string{"croatia", "croacia", "croatie", "kroasie", "hrvatska"}},
	{"CY", []string{"cyprus", "chipre", "chypre", "siprus"}},
	{"CZ", []string{"czechia", "czech republic", "chequia", "republica checa", "tchequie", "tchequia", "tsjeggie"}},
	{"DK", []string{"denmark", "dinamarca", "danemark", "denemarke", "danmark"}},
	{"EE", []string{"estonia", "estonie", "estland"}},
	{"FI", []string{"finland", "finlandia", "finlande", "suomi"}},
	{"FR", []string{"france", "francia", "franca", "frankryk"}},
	{"DE", []string{"germany", "alemania", "allemagne", "alemanha", "duitsland", "deutschland"}},
	{"GR", []string{"greece", "grecia", "grece", "griekeland", "hellas"}},
	{"HU", []string{"hungary", "hungria", "hongrie", "hongarye"}},
	{"IE", []string{"ireland", "irlanda", "irlande", "ierland"}},
	{"IT", []string{"italy", "italia", "italie"}},
	{"LV", []string{"latvia", "letonia", "lettonie", "letland"}},
	{"LT", []string{"lithuania", "lituania", "lituanie", "litaue"}},
	{"LU", []string{"luxembourg", "luxemburgo", "luxemburg"}},
	{"MT", []string{"malta", "malte"}},
	{"NL", []string{"netherlands", "paises bajos", "pays bas", "paises baixos", "nederland", "holland", "holanda"}},
	{"PL", []string{"poland", "polonia", "pologne", "pole", "polska"}},
	{"PT", []string{"portugal"}},
	{"RO", []string{"romania", "rumania", "roumanie", "romenia", "roemenie"}},
	{"SK", []string{"slovakia", "eslovaquia", "slovaquie", "slowakye"}},
	{"SI", []string{"slovenia", "eslovenia", "slovenie", "slowenie"}},
	{"ES", []string{"spain", "espana", "espagne", "espanha", "spanje"}},
	{"SE", []string{"sweden", "suecia", "suede", "swede", "sverige"}},
}

// britain is Great Britain. The Union's plant health rules apply in Northern Ireland.
var britain = []country{
	{"GB", []string{"united kingdom", "reino unido", "royaume uni", "verenigde koninkryk", "great britain", "britain", "england", "scotland", "wales", "uk"}},
}

// alpine lists Switzerland and Liechtenstein, which share the Union's plant health
// territory but not its customs territory.
//
//nolint:misspell // the words are of other languages, too
var alpine = []country{
	{"CH", []string{"switzerland", "suiza", "suisse", "suica", "switserland", "schweiz", "svizzera"}},
	{"LI", []string{"liechtenstein"}},
}

// outlying lists territories of member states outside the Union's plant health
// territory (Regulation (EU) 2016/2031, Article 1(3)), in lower case and without
// accents. Their goods come from a third country.
var outlying = []string{
	"canary islands", "canarias", "islas canarias", "tenerife", "las palmas", "gran canaria", "ceuta", "melilla",
	"guadeloupe", "martinique", "reunion", "la reunion", "french guiana", "guyane", "mayotte", "saint martin",
}

// requirements is the table of documents that destinations require by law. The
// package documentation lists the verified entries.
var requirements = []requirement{
	{
		region: "the European Union", countries: union, document: shipments.PhytosanitaryCertificate,
		// Annex XI, part C.
		exempt: []string{"Ananas comosus", "Cocos nucifera", "Durio zibethinus", "Musa", "Phoenix dactylifera"},
		within: slices.Concat(union, alpine),
		reason: "plants move within the Union and from Switzerland without one (Regulation (EU) 2016/2031, Article 72; Agreement of 21 June 1999 with Switzerland, Annex 4)",
		source: "Regulation (EU) 2016/2031, Articles 72 and 73; Implementing Regulation (EU) 2019/2072, Annex XI",
	},
	{
		region: "Switzerland", countries: alpine, document: shipments.PhytosanitaryCertificate,
		exempt: []string{"Ananas comosus", "Cocos nucifera", "Durio zibethinus", "Musa", "Phoenix dactylifera"},
		within: slices.Concat(union, alpine),
		reason: "plants move between the Union and Switzerland without one (Agreement of 21 June 1999, Annex 4)",
		source: "Plant Health Ordinance (SR 916.20), as aligned with Regulation (EU) 2016/2031",
	},
	{
		region: "Great Britain", countries: britain, document: shipments.PhytosanitaryCertificate,
		exempt: []string{
			"Ananas comosus", "Cocos nucifera", "Durio zibethinus", "Musa", "Phoenix dactylifera", "Actinidia deliciosa", "Mangifera indica", "Diospyros kaki", "Passiflora edulis", "Psidium guajava",
			"Citrus sinensis", "Citrus reticulata", "Citrus limon", "Citrus aurantiifolia", "Citrus paradisi",
		},
		within: britain,
		// Low risk since 30 January 2025 (Defra, 13 September 2024).
		lowRisk: []string{"Malus domestica", "Pyrus communis", "Persea americana", "Vaccinium corymbosum", "Rubus idaeus", "Fragaria ananassa"},
		lowFrom: slices.Concat(union, alpine),
		reason:  "they do not leave Great Britain",
		source:  "Regulation (EU) 2016/2031, Articles 72 and 73, and Implementing Regulation (EU) 2019/2072, Annex 11, as Great Britain has them",
	},
	{
		region: "the European Union", countries: union, document: shipments.CommercialInvoice,
		within: union, customs: true,
		reason: "goods of the customs union are not declared (Regulation (EU) No 952/2013, Article 153)",
		source: "Implementing Regulation (EU) 2015/2447, Article 145",
	},
}
