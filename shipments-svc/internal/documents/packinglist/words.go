package packinglist

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// concept is the meaning of a word of a heading.
type concept uint64

const (
	palletWord  concept = 1 << iota
	palletsWord         // plural: their number rather than a pallet number
	ssccWord
	numberWord
	quantityWord
	produceWord
	varietyWord
	calibreWord
	boxWord
	trayWord   // a box, or within one
	pieceWord  // fruits or pieces in a box
	punnetWord // consumer packages in a box
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
	packedWord // packed, or when
	lineWord
	totalWord
	containerWord
	temperatureWord
	fromWord // the first of a range
	toWord   // the last of a range
	originWord

	// Words that change the meaning of a quantity.
	layerWord
	priceWord
	orderedWord    // ordered, planned or estimated
	rejectedWord   // not loaded
	earlierWord    // earlier
	emptyWord      // of the package only
	equivalentWord // converted to a standard box
	dimensionWord
	idWord      // a label rather than a number
	harvestWord // at harvest
	limitWord   // at most, at least
	partWord    // parts of a box
	otherWord   // another weight
)

// vocabulary lists the words of headings by language, to be folded. A phrase, whose
// words are joined by _, takes precedence over its words.
//
//nolint:misspell // the words are of other languages, too
var vocabulary = []struct {
	means                  concept
	en, es, fr, pt, af, tr string
}{
	{palletWord, "pallet plt pal pllt skid", "palet pale palé tarima parihuela estiba folio", "palette pal", "palete paleta", "palet palette palletnommer paletnommer", "palet"},
	{palletsWord, "pallets plts skids", "palets pales tarimas parihuelas", "palettes", "paletes paletas", "pallette", "paletler"},
	{ssccWord, "sscc sscc18 gs1", "", "", "", "", ""},
	{numberWord, "no nr num number #", "numero nro", "numero", "numero nº", "nommer nommers", "numara numarası"},
	{numberWord | idWord, "id code label tag ref reference barcode serial", "etiqueta codigo", "etiquette code", "codigo etiqueta", "kode etiket", "kodu"},
	{quantityWord, "qty quantity count_of no_of number_of num_of total_no", "cantidad cant cantidad_de", "quantite qte nombre nombre_de nb nbre nb_de nbre_de", "quantidade qtd qtde qtd_de quantidade_de", "hoeveelheid aantal getal", "adet adedi miktar sayısı"},
	{produceWord, "produce product commodity fruit species crop goods description item_description article", "producto especie fruta mercancia mercaderia descripcion genero", "produit espece marchandise designation fruit", "produto especie fruta mercadoria descricao", "produk vrug kommoditeit soort gewas beskrywing vrugsoort", "ürün urun mal_cinsi cinsi"},
	{varietyWord, "variety var cultivar varieties", "variedad var variedades", "variete var", "variedade cultivar", "varieteit kultivar", "çeşit cesit"},
	{calibreWord, "calibre caliber size count cal sizes ct grade_size diameter", "calibre calibres tamano cal talla conteo", "calibre taille cal grosseur", "calibre tamanho cal", "telling grootte kaliber groottes", "kalibre boy ebat"},
	{boxWord, "box boxes carton cartons ctn ctns case cases cs crate crates flat flats bxs package packages pkg pkgs punnet_case cartoons", "caja cajas cj cjs bulto bultos carton cartones cartón", "colis caisse caisses carton cartons col", "caixa caixas cx cxs volumes", "karton kartonne bokse boks kiste kartonnette", "koli kasa kutu sandık"},
	{trayWord, "tray trays", "bandeja bandejas", "plateau plateaux", "bandeja bandejas", "", "tepsi"},
	{perWord, "per each ea unit /", "por unitario unit cu c u", "par unitaire unite", "por unitario unidade", "per elk eenheid", "başına"},
	{netWord, "net nett nw n_w netwt", "neto neta pn p_n netos", "net nette pn p_n", "liquido liq pl p_l neto", "netto nett", "net"},
	{grossWord, "gross gw g_w grosswt brutto lordo brt vgm incl include includes including included inclusive with_pallet", "bruto bruta pb p_b brutos con_palet con_pallet con_parihuela incluido incluye incluyen", "brut brute bruts brutes pb avec_palette comprise compris inclus incluse", "bruto pb com_palete incluindo", "bruto ingesluit", "brüt dahil"},
	{weightWord, "weight wt wgt weights mass", "peso pesos", "poids pds masse", "peso massa", "gewig massa gew", "ağırlık ağırlığı agirlik agirligi"},
	{unitWord, "kg kgs kilo kilos kilogram kilograms lb lbs pound pounds gr gram grams grm", "kilogramo kilogramos libras libra gramos", "kilogramme kilogrammes livres grammes", "quilo quilos quilogramas gramas", "kilogramme pond gram", ""},
	{packWord, "pack packaging packing package_type format", "envase envases empaque embalaje formato", "emballage conditionnement", "embalagem", "verpakking pak", "ambalaj"},
	{typeWord, "type kind style", "tipo", "type", "tipo", "tipe", "tipi türü"},
	{classWord, "class grade category cat quality", "categoria clase calidad cat", "categorie classe qualite cat", "categoria classe qualidade cat", "klas graad kategorie", "sınıf"},
	{brandWord, "brand mark marks trademark", "marca", "marque", "marca", "handelsmerk merk", "marka"},
	{lotWord, "lot batch lots batches", "lote lotes partida", "lot", "lote lotes partida", "lot besending", "parti"},
	{orchardWord, "orchard grower producer puc phc farm block ggn producer_code packhouse", "huerto productor campo predio parcela cuartel csg csp", "verger producteur parcelle station", "pomar produtor fazenda", "boord produsent plaas boer kwekery", "üretici bahçe"},
	{dateWord, "date pack_date packing_date", "fecha", "date", "data", "datum", "tarih tarihi"},
	{lineWord, "line item row seq sequence ln", "linea item fila", "ligne", "linha", "lyn ry", "sıra"},
	{totalWord, "total totals ttl", "total totales", "total totaux", "total totais", "totaal totale", "toplam"},
	{containerWord, "container cntr", "contenedor", "conteneur", "contentor conteiner", "houer", "konteyner"},
	{temperatureWord, "temp temperature thermograph recorder sensor", "temperatura termografo", "temperature", "temperatura", "temperatuur", "sıcaklık"},
	{produceWord | pieceWord, "fruits", "frutas", "fruits", "frutas", "", ""},
	{pieceWord, "pieces pcs pc units", "frutos piezas pzas pza unidades unid uds und", "pieces unites", "frutos pecas unidades und", "vrugte stuks eenhede", "meyve"},
	{punnetWord, "punnet punnets clamshell clamshells bag bags flowpack", "bolsas mallas clamshells tarrinas", "barquette barquettes sachets filets", "cumbucas sacos", "punnets sakkies", ""},
	{packedWord, "packed", "embalado", "emballe", "embalado", "gepak", ""},
	{harvestWord, "harvest harvested", "cosecha", "recolte", "colheita", "oes", "hasat"},
	{fromWord, "from first start", "desde", "debut", "inicio", "vanaf", ""},
	{toWord, "to until last end", "hasta", "fin", "ate fim", "tot", ""},
	{originWord, "origin source", "origen procedencia", "origine provenance", "origem", "oorsprong", "menşei"},
	{layerWord, "layer layers tier tiers", "capa capas piso pisos camada camadas", "couche couches", "camada camadas lastro", "laag lae", "kat"},
	{priceWord, "price prices cost costs amount value usd eur gbp zar fob cfr", "precio precios importe importes valor monto costo", "prix montant valeur cout", "preco precos valor custo", "prys bedrag waarde", "fiyat fiyatı tutar bedel"},
	{orderedWord, "ordered order planned plan requested expected booked booking estimated estimate target forecast reserved", "pedido pedidos pedida pedidas solicitado solicitadas programado programadas planificado estimado estimados previsto previstos previstas", "commande commandes commandee commandees prevu prevus prevues estime", "pedido pedidas previsto previstas estimado encomendadas solicitadas", "bestel bestelde beplan verwag geskatte", "sipariş planlanan tahmini"},
	{rejectedWord, "rejected rejects short shorts missing damaged returned remaining balance difference diff removed variance samples inspected sampled opened cancelled canceled void not unloaded unshipped stock inventory sample held hold follow out_of", "rechazado rechazados rechazada rechazadas faltante faltantes diferencia saldo merma danadas devueltas muestras inspeccionadas canceladas anuladas stock existencias muestra retenidas", "rejetes rejetees manquants manquant ecart difference reste avaries annules annulees echantillon echantillons retenus retenues", "rejeitado rejeitadas faltantes diferenca saldo avariadas canceladas anuladas estoque amostra amostras retidas", "afgekeur verskil gekanselleer voorraad monsters", "eksik fark iptal stok numune"},
	{earlierWord, "original previous old former prior parent", "original anterior previo antiguo", "originale original precedent ancien ancienne", "original anterior antigo", "oorspronklike vorige ou", "eski önceki"},
	{emptyWord, "tare empty", "tara vacio vacia", "tare vide", "tara vazio vazia", "tarra lee", "dara boş"},
	{equivalentWord, "equivalent equivalents equiv converted std", "equivalente equivalentes", "equivalent equivalents", "equivalente equivalentes", "ekwivalent", ""},
	{equivalentWord | boxWord, "tce te", "", "", "", "", ""},
	{limitWord, "max maximum min minimum capacity tolerance", "maximo maxima minimo minima capacidad", "maximum minimum capacite", "maximo maxima capacidade", "maks maksimum", "azami kapasite"},
	{partWord, "half halves part partial", "medias medio media", "demi demie moitie", "meias meia meio", "halwe half", "yarım"},
	{otherWord, "chargeable volumetric drained field", "volumetrico escurrido", "volumetrique egoutte", "cubado drenado", "", ""},
	{dimensionWord, "height length width dimension dimensions dims cm cbm m3 box_size carton_size", "alto altura largo ancho dimensiones medidas volumen", "hauteur longueur largeur dimensions", "altura comprimento largura dimensoes medidas", "hoogte lengte", "yükseklik"},
}

// meanings indexes the vocabulary by word; longest is the number of words of the
// longest phrase.
var meanings, longest = func() (map[string]concept, int) {
	all, words := map[string]concept{}, 1
	for _, v := range vocabulary {
		for _, language := range []string{v.en, v.es, v.fr, v.pt, v.af, v.tr} {
			for word := range strings.FieldsSeq(language) {
				phrase := strings.ReplaceAll(fold(strings.ReplaceAll(word, "_", " ")), "_", " ")
				all[phrase] |= v.means
				words = max(words, strings.Count(phrase, " ")+1)
			}
		}
	}
	return all, words
}()

// stopWords have no meaning in a heading, or confirm it.
var stopWords = strings.Fields("of on in at the for and a de del la las el los y des du les et do da dos das e van die en ve " +
	"excl excluding shipped loaded dispatched sent actual final export exported confirmed embarcadas cargadas despachadas enviadas reales charges chargees expedies embarques carregadas gelaai versend")

// initials matches the letters of an abbreviation: G.W., N/W.
var initials = regexp.MustCompile(`\b\pL(?:[./-]\pL)+\b`)

// wordsOf returns the words of a heading, folded. Abbreviations are one word, and
// the letters of gross and net before a weight, or beside a unit, are these words:
// "G. Weight", "Kgs. Gr."
func wordsOf(heading string) []string {
	words := strings.Fields(fold(initials.ReplaceAllStringFunc(heading, func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, text)
	})))
	united := slices.ContainsFunc(words, func(w string) bool { return meanings[w]&unitWord != 0 && !slices.Contains(grossLetters, w) })
	for i, w := range words {
		weight := i+1 < len(words) && meanings[words[i+1]]&weightWord != 0
		switch {
		case slices.Contains(grossLetters, w) && (weight || united):
			words[i] = "gross"
		case (w == "n" || w == "nt") && (weight || united):
			words[i] = "net"
		}
	}
	return words
}

// grossLetters are abbreviations of gross, some of which also are of grams.
var grossLetters = []string{"g", "gr", "grs"}

// conceptsOf returns the concepts of a heading, and its unknown words.
func conceptsOf(heading string) (all concept, unknown []string) {
	words := wordsOf(heading)
next:
	for i := 0; i < len(words); {
		for n := min(longest, len(words)-i); n > 0; n-- {
			if c, ok := meanings[strings.Join(words[i:i+n], " ")]; ok {
				all |= c
				i += n
				continue next
			}
		}
		if !slices.Contains(stopWords, words[i]) {
			unknown = append(unknown, words[i])
		}
		i++
	}
	return all, unknown
}

// fold returns a text in lower case without accents and punctuation, for
// comparison. "N°" and "#" become the word no, a slash the word per, and the sign
// of a currency the word price.
func fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(strings.ToLower(text), "n°", "no ")) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case r == '#' || r == '№' || r == '°' || r == 'º':
			b.WriteString(" no ")
		case r == '$' || r == '€' || r == '£':
			b.WriteString(" price ")
		case r == '/':
			b.WriteString(" per ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
