package packinglist

import (
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// vesselAndVoyage is the kind of a value with both, separated by a slash.
const vesselAndVoyage shipments.FactKind = "vessel and voyage"

// factLabels lists the labels of facts by language, to be folded. They include the
// headings of the model phytosanitary certificate (ISPM 12, annex 1) in their
// official translations.
//
//nolint:misspell // the words are of other languages, too
var factLabels = []struct {
	kind               shipments.FactKind
	en, es, fr, pt, af string
}{
	{
		shipments.ReferenceFact,
		"reference|our reference|our ref|your reference|ref|ref no|reference no|reference number|shipment|shipment no|shipment reference|shipment ref|consignment|consignment no|order no|order number|order|po|po no|po number|purchase order|booking|booking no|booking number|booking ref|file no|load|load no|load id|load out no|packing list no|packing list number",
		"referencia|su referencia|nuestra referencia|embarque|embarque no|orden|orden de compra|pedido|no pedido|reserva|booking|folio|packing list no",
		"reference|notre reference|votre reference|commande|no de commande|reservation|dossier|expedition|liste de colisage no",
		"referencia|nossa referencia|encomenda|pedido|reserva|embarque|processo",
		"verwysing|ons verwysing|bestelling|bestelnommer|besending|vrag no",
	},
	{
		vesselAndVoyage,
		"vessel/voyage|vessel / voyage no|vessel and voyage|vessel voyage|vessel/flight|vessel & voyage no|ocean vessel voyage no|ship/voyage",
		"buque/viaje|nave/viaje|nave y viaje|motonave/viaje|vapor/viaje", "navire/voyage|navire et voyage", "navio/viagem|navio e viagem", "skip/reis|vaartuig/reis",
	},
	{
		shipments.VesselFact,
		"vessel|vessel name|name of vessel|ship|ocean vessel|steamer|mv|m/v|carrier vessel|mother vessel|declared means of conveyance|means of conveyance",
		"buque|nave|motonave|vapor|nombre del buque|barco|medios de transporte declarados",
		"navire|nom du navire|bateau|moyen de transport declare", "navio|nome do navio|embarcacao|meios de transporte declarados", "skip|vaartuig|naam van skip|skeepsnaam",
	},
	{shipments.VoyageFact, "voyage|voyage no|voyage number|voy|voy no", "viaje|no de viaje|viaje no", "voyage|no de voyage", "viagem|viagem no", "reis|reis no|reisnommer"},
	{
		shipments.ContainerFact,
		"container|container no|container number|container nr|cntr|cntr no|container id|container nos|containers|container no s|reefer no|container seal no",
		"contenedor|contenedor no|no de contenedor|numero de contenedor|no contenedor",
		"conteneur|no de conteneur|no conteneur|numero de conteneur", "contentor|contentor no|no do contentor|conteiner|container no", "houer|houer no|houernommer|houer nommer",
	},
	{
		shipments.SealFact,
		"seal|seal no|seal number|seals|seal nos|shipper seal|carrier seal|seal nr", "sello|sello no|no de sello|precinto|precintos|sello naviera",
		"scelle|plomb|no de scelle|no plomb|scelles", "selo|selo no|lacre|selos", "seel|seel no|seelnommer",
	},
	{
		shipments.InvoiceFact,
		"invoice|invoice no|invoice number|commercial invoice no|inv no|invoice nr|commercial invoice number", "factura|factura no|no de factura|numero de factura|factura comercial no",
		"facture|facture no|no de facture|numero de facture", "fatura|factura|fatura no|fatura comercial no", "faktuur|faktuur no|faktuurnommer",
	},
	{
		shipments.PhytoFact,
		"phytosanitary certificate no|phytosanitary certificate|phyto|phyto no|phyto certificate no|phytosanitary certificate number|phyto cert no|phyto certificate|certificate no",
		"certificado fitosanitario no|certificado fitosanitario|fitosanitario|certificado no|fito no",
		"certificat phytosanitaire no|certificat phytosanitaire|certificat no|phyto no", "certificado fitossanitario no|certificado fitossanitario|certificado no", "fitosanitere sertifikaat|fitosanitere sertifikaat no|sertifikaat no",
	},
	{
		shipments.BillOfLadingFact,
		"bill of lading|bill of lading no|bill of lading number|b/l|b/l no|bl|bl no|b/l number|bol|waybill no|sea waybill no|mbl|master bl", "conocimiento de embarque|conocimiento de embarque no|bl no|no bl",
		"connaissement|connaissement no|no de connaissement", "conhecimento de embarque|conhecimento de embarque no", "vragbrief|vragbrief no|ladingsbrief",
	},
	{
		shipments.ProduceFact,
		"commodity|produce|product|products|fruit|species|description of goods|goods|description|name of produce|name of produce and quantity declared|botanical name|botanical name of plants|botanical name of product|scientific name|kind of fruit|cargo",
		"producto|especie|fruta|mercancia|mercaderia|descripcion de la mercancia|nombre del producto y cantidad declarada|nombre botanico|nombre botanico de las plantas|nombre cientifico",
		"produit|espece|fruit|marchandise|designation des marchandises|nom du produit et quantite declaree|nom botanique|nom botanique des vegetaux|nom scientifique",
		"produto|especie|fruta|mercadoria|descricao da mercadoria|nome do produto e quantidade declarada|nome botanico|nome botanico das plantas|nome cientifico",
		"produk|vrug|kommoditeit|beskrywing van goedere|botaniese naam|vrugsoort",
	},
	{
		shipments.PortOfLoadingFact,
		"port of loading|pol|loading port|load port|port of shipment|port of departure|port of export|from", "puerto de embarque|puerto de carga|puerto de salida|puerto origen|puerto de origen",
		"port de chargement|port d embarquement|port de depart", "porto de embarque|porto de carga|porto de carregamento", "laaihawe|hawe van laai|hawe van verskeping",
	},
	{
		shipments.PortOfDischargeFact,
		"port of discharge|pod|discharge port|port of unloading|port of destination|destination port|declared point of entry|point of entry|port of entry",
		"puerto de descarga|puerto de destino|puerto destino|punto de entrada declarado",
		"port de dechargement|port de destination|port d arrivee|point d entree declare", "porto de descarga|porto de destino|ponto de entrada declarado", "loshawe|hawe van aflaai|bestemmingshawe",
	},
	{
		shipments.OriginFact,
		"origin|country of origin|place of origin|coo", "origen|pais de origen|lugar de origen|procedencia", "origine|pays d origine|lieu d origine|provenance", "origem|pais de origem|lugar de origem|local de origem", "oorsprong|land van oorsprong|plek van oorsprong",
	},
	{
		shipments.DestinationFact,
		"destination|final destination|country of destination|place of delivery", "destino|destino final|pais de destino|pais destino", "destination|destination finale|pays de destination", "destino|destino final|pais de destino", "bestemming|eindbestemming",
	},
	{
		shipments.ExporterFact,
		"exporter|shipper|seller|consignor|name and address of exporter|exporter name", "exportador|exportadora|embarcador|remitente|nombre y direccion del exportador", "exportateur|expediteur|chargeur|nom et adresse de l exportateur", "exportador|embarcador|nome e endereco do exportador", "uitvoerder|afsender",
	},
	{
		shipments.ConsigneeFact,
		"consignee|buyer|importer|receiver|customer|sold to|consigned to|declared name and address of consignee", "consignatario|importador|comprador|cliente|destinatario|nombre y direccion declarados del destinatario", "destinataire|importateur|acheteur|client|nom et adresse declares du destinataire", "consignatario|importador|comprador|cliente|destinatario|nome e endereco declarados do destinatario", "geadresseerde|invoerder|ontvanger|koper",
	},
	{
		shipments.PalletsFact,
		"pallets|no of pallets|number of pallets|pallet count|qty pallets", "no de pallets|numero de pallets|cantidad de pallets|pallets|palets", "nombre de palettes|palettes|nb palettes", "no de paletes|numero de paletes|paletes", "aantal palette|palette",
	},
	{
		shipments.BoxesFact,
		"boxes|cartons|no of cartons|number of cartons|no of boxes|number of boxes|number of packages|no of packages|packages|quantity|ctns", "cajas|no de cajas|numero de cajas|cantidad de cajas|bultos|numero de bultos",
		"nombre de colis|colis|nb colis|nombre de cartons", "caixas|numero de caixas|volumes", "aantal kartonne|kartonne",
	},
	{
		shipments.NetWeightFact,
		"net weight|nett weight|net wt|nett mass|net weight kg|net weight kgs|net mass|n.w.|net kg|net kgs", "peso neto|peso neto kg|kilos netos", "poids net|poids net kg", "peso liquido|peso liquido kg", "netto massa|netto gewig",
	},
	{
		shipments.GrossWeightFact,
		"gross weight|gross wt|gross weight kg|gross weight kgs|gross mass|g.w.|gross kg|gross kgs", "peso bruto|peso bruto kg|kilos brutos", "poids brut|poids brut kg", "peso bruto|peso bruto kg", "bruto massa|bruto gewig",
	},
}

// factKinds indexes the table by label; longestLabel is the number of words of the
// longest.
var factKinds, longestLabel = func() (map[string]shipments.FactKind, int) {
	all, words := map[string]shipments.FactKind{}, 0
	for _, l := range factLabels {
		for _, language := range []string{l.en, l.es, l.fr, l.pt, l.af} {
			for label := range strings.SplitSeq(language, "|") {
				if key := fold(label); key != "" {
					all[key] = l.kind
					words = max(words, strings.Count(key, " ")+1)
				}
			}
		}
	}
	return all, words
}()

// factKindOf returns the kind of a label. The number of a box of a form before it is
// ignored.
func factKindOf(label string) (shipments.FactKind, bool) {
	key := strings.TrimLeft(fold(label), "0123456789 ")
	kind, ok := factKinds[key]
	if !ok {
		kind, ok = factKinds[strings.TrimSuffix(strings.TrimSuffix(key, " no"), " kg")]
	}
	if !ok && totalText.MatchString(key) {
		kind, ok = totalKindOf(key)
	}
	return kind, ok
}

// totalKindOf returns the kind of a label that has no words but those of a total:
// "Cajas totales", "Toplam net ağırlık".
func totalKindOf(label string) (shipments.FactKind, bool) {
	concepts, unknown := conceptsOf(label)
	kind, ok := map[concept]shipments.FactKind{
		boxWord: shipments.BoxesFact, palletsWord: shipments.PalletsFact, palletWord: shipments.PalletsFact, netWord: shipments.NetWeightFact, grossWord: shipments.GrossWeightFact,
	}[concepts&^(totalWord|numberWord|quantityWord|weightWord|unitWord)]
	return kind, ok && unknown == nil
}
