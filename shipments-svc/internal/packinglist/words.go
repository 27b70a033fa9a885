package packinglist

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// concept is what a word of a heading stands for.
type concept uint32

const (
	palletWord  concept = 1 << iota
	palletsWord         // more than one: their number, rather than the label of one
	ssccWord
	numberWord
	quantityWord
	produceWord
	varietyWord
	calibreWord
	boxWord
	perWord
	netWord
	grossWord
	weightWord
	unitWord // kg, lb, g
	packWord
	typeWord
	classWord
	brandWord
	lotWord
	orchardWord
	dateWord
	lineWord
	totalWord
	containerWord
	temperatureWord
	taraWord
)

// vocabulary has the words of headings, by language. Words are folded: lower
// case without accents. A phrase of several words goes before its words.
//
//nolint:misspell // the words are of other languages, too
var vocabulary = []struct {
	means              concept
	en, es, fr, pt, af string
}{
	{palletWord, "pallet plt pal pllt skid", "palet pale palé tarima parihuela estiba folio", "palette pal", "palete paleta", "palet palette palletnommer"},
	{palletsWord, "pallets plts", "palets pales tarimas parihuelas", "palettes", "paletes paletas", "pallette"},
	{ssccWord, "sscc sscc18 gs1", "", "", "", ""},
	{numberWord, "no nr num number id code label tag # ref reference", "numero nro etiqueta codigo", "numero etiquette code", "numero nº codigo etiqueta", "nommer kode etiket nommers"},
	{quantityWord, "qty quantity count_of no_of number_of num_of total_no", "cantidad cant cantidad_de", "quantite qte nombre nombre_de nb nbre nb_de nbre_de", "quantidade qtd qtde qtd_de quantidade_de", "hoeveelheid aantal getal"},
	{produceWord, "produce product commodity fruit species crop goods description item_description article", "producto especie fruta mercancia mercaderia descripcion", "produit espece marchandise designation fruit", "produto especie fruta mercadoria descricao", "produk vrug kommoditeit soort gewas beskrywing vrugsoort"},
	{varietyWord, "variety var cultivar varieties", "variedad var variedades", "variete var", "variedade cultivar", "varieteit kultivar"},
	{calibreWord, "calibre caliber size count cal sizes ct grade_size diameter", "calibre calibres tamano cal talla conteo", "calibre taille cal grosseur", "calibre tamanho cal", "telling grootte kaliber groottes"},
	{boxWord, "box boxes carton cartons ctn ctns case cases cs crate crates bxs package packages pkg pkgs punnet_case cartoons", "caja cajas cj cjs bulto bultos carton cartones cartón", "colis caisse caisses carton cartons plateau plateaux col", "caixa caixas cx cxs volumes", "karton kartonne bokse boks kiste kartonnette"},
	{perWord, "per each ea unit /", "por unitario unit c u", "par unitaire unite", "por unitario unidade", "per elk eenheid"},
	{netWord, "net nett nw n_w netwt", "neto neta pn p_n netos", "net nette pn p_n", "liquido liq pl p_l neto", "netto nett"},
	{grossWord, "gross gw g_w grosswt", "bruto bruta pb p_b brutos", "brut brute pb", "bruto pb", "bruto"},
	{weightWord, "weight wt wgt weights mass", "peso pesos", "poids pds masse", "peso massa", "gewig massa gew"},
	{unitWord, "kg kgs kilo kilos kilogram kilograms lb lbs pound pounds gr gram grams grm", "kilogramo kilogramos libras libra gramos", "kilogramme kilogrammes livres grammes", "quilo quilos quilogramas gramas", "kilogramme pond gram"},
	{packWord, "pack packaging packing package_type format", "envase empaque embalaje formato", "emballage conditionnement", "embalagem", "verpakking pak"},
	{typeWord, "type kind style", "tipo", "type", "tipo", "tipe"},
	{classWord, "class grade category cat quality", "categoria clase calidad cat", "categorie classe qualite cat", "categoria classe qualidade cat", "klas graad kategorie"},
	{brandWord, "brand mark marks trademark", "marca", "marque", "marca", "handelsmerk merk"},
	{lotWord, "lot batch lots batches", "lote lotes partida", "lot", "lote lotes partida", "lot besending"},
	{orchardWord, "orchard grower producer puc phc farm block ggn producer_code packhouse", "huerto productor campo predio parcela cuartel csg csp", "verger producteur parcelle station", "pomar produtor fazenda", "boord produsent plaas boer kwekery"},
	{dateWord, "date packed harvest harvested pack_date", "fecha cosecha", "date recolte", "data colheita", "datum oes"},
	{lineWord, "line item row seq sequence ln", "linea item fila", "ligne", "linha", "lyn ry"},
	{totalWord, "total totals", "total totales", "total totaux", "total totais", "totaal"},
	{containerWord, "container cntr", "contenedor", "conteneur", "contentor conteiner", "houer"},
	{temperatureWord, "temp temperature thermograph recorder sensor", "temperatura termografo", "temperature", "temperatura", "temperatuur"},
	{taraWord, "tare", "tara", "tare", "tara", "tarra"},
}

// meanings is the vocabulary by word. longest is how many words its longest
// phrase has.
var meanings, longest = func() (map[string]concept, int) {
	all, words := map[string]concept{}, 1
	for _, v := range vocabulary {
		for _, language := range []string{v.en, v.es, v.fr, v.pt, v.af} {
			for word := range strings.FieldsSeq(language) {
				phrase := strings.ReplaceAll(fold(strings.ReplaceAll(word, "_", " ")), "_", " ")
				all[phrase] |= v.means
				words = max(words, strings.Count(phrase, " ")+1)
			}
		}
	}
	return all, words
}()

// conceptsOf returns what the words of a heading stand for, and how many of
// its words stand for nothing.
func conceptsOf(heading string) (all concept, unknown int) {
	words := strings.Fields(fold(heading))
next:
	for i := 0; i < len(words); {
		for n := min(longest, len(words)-i); n > 0; n-- {
			if c, ok := meanings[strings.Join(words[i:i+n], " ")]; ok {
				all |= c
				i += n
				continue next
			}
		}
		unknown++
		i++
	}
	return all, unknown
}

// fold returns a text as words that can be compared: lower case, without
// accents and punctuation. "N°" and "#" are the word no, a slash is the word
// per.
func fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case r == '#' || r == '№' || r == '°' || r == 'º':
			b.WriteString(" no ")
		case r == '/':
			b.WriteString(" per ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
