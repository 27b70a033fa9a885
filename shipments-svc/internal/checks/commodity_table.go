package checks

// commodity is produce and the botanical names of its plants.
type commodity struct {
	words     []string // of its names, in lower case and several languages; names of varieties last
	botanical []string // without authors, the usual one first; a genus alone stands for all of its species
}

// commodities is the table of produce by name, as the EPPO Global Database and
// the UNECE standards have them. Not verified against either.
var commodities = []commodity{
	{[]string{"avocado", "avocados", "aguacate", "aguacates", "palta", "paltas", "avocat", "avocats", "abacate", "abacates", "avokado", "avokados", "hass", "fuerte", "pinkerton", "maluma", "ryan"}, []string{"Persea americana"}},
	{[]string{"grape", "grapes", "uva", "uvas", "raisin", "raisins", "druif", "druiwe", "tafeldruiwe", "tafeldruif"}, []string{"Vitis vinifera", "Vitis"}},
	{[]string{"orange", "oranges", "naranja", "naranjas", "laranja", "laranjas", "lemoen", "lemoene", "navel", "navels", "navelina", "valencia", "valencias"}, []string{"Citrus sinensis", "Citrus aurantium"}},
	{[]string{
		"mandarin", "mandarins", "mandarina", "mandarinas", "mandarine", "mandarines", "tangerina", "tangerinas", "tangerine", "tangerines", "clementine", "clementines", "clementina", "clementinas",
		"satsuma", "satsumas", "nartjie", "nartjies", "nadorcott", "clemenules", "orri", "tango",
	}, []string{"Citrus reticulata", "Citrus unshiu", "Citrus clementina", "Citrus deliciosa", "Citrus tangerina"}},
	{[]string{"lemon", "lemons", "limón", "limones", "limon", "citron", "citrons", "limão", "limões", "suurlemoen", "suurlemoene"}, []string{"Citrus limon"}},
	{[]string{"lime", "limes", "lima", "limas", "lemmetjie", "lemmetjies"}, []string{"Citrus aurantiifolia", "Citrus aurantifolia", "Citrus latifolia"}},
	// Pomelo is Citrus paradisi in Spanish and Citrus maxima in English.
	{[]string{
		"grapefruit", "grapefruits", "toronja", "toronjas", "pamplemousse", "pamplemousses", "toranja", "toranjas", "pomelo", "pomelos", "pummelo", "pummelos", "pomelit",
	}, []string{"Citrus paradisi", "Citrus maxima", "Citrus grandis"}},
	{[]string{"blueberry", "blueberries", "arándano", "arándanos", "arandano", "arandanos", "myrtille", "myrtilles", "mirtilo", "mirtilos", "bloubessie", "bloubessies"}, []string{"Vaccinium corymbosum", "Vaccinium"}},
	{[]string{"apple", "apples", "manzana", "manzanas", "pomme", "pommes", "maçã", "maçãs", "appel", "appels"}, []string{"Malus domestica", "Malus"}},
	{[]string{"pear", "pears", "pera", "peras", "poire", "poires", "pêra", "pêras", "peer", "pere"}, []string{"Pyrus communis", "Pyrus pyrifolia", "Pyrus"}},
	{[]string{"mango", "mangos", "mangoes", "mangue", "mangues", "manga", "mangas"}, []string{"Mangifera indica"}},
	{[]string{
		"peach", "peaches", "nectarine", "nectarines", "durazno", "duraznos", "melocotón", "melocotones", "nectarina", "nectarinas", "pêche", "pêches", "brugnon", "brugnons",
		"pêssego", "pêssegos", "perske", "perskes", "nektarien", "nektariens",
	}, []string{"Prunus persica"}},
	{[]string{"plum", "plums", "ciruela", "ciruelas", "prune", "prunes", "ameixa", "ameixas", "pruim", "pruime"}, []string{"Prunus domestica", "Prunus salicina"}},
	{[]string{"apricot", "apricots", "albaricoque", "albaricoques", "damasco", "damascos", "abricot", "abricots", "alperce", "alperces", "appelkoos", "appelkose"}, []string{"Prunus armeniaca"}},
	{[]string{"cherry", "cherries", "cereza", "cerezas", "cerise", "cerises", "cereja", "cerejas", "kersie", "kersies"}, []string{"Prunus avium", "Prunus cerasus"}},
	{[]string{"kiwi", "kiwis", "kiwifruit", "kiwifruits", "kiwivrug"}, []string{"Actinidia deliciosa", "Actinidia chinensis", "Actinidia"}},
	{[]string{"pineapple", "pineapples", "piña", "piñas", "ananas", "abacaxi", "abacaxis", "pynappel", "pynappels"}, []string{"Ananas comosus"}},
	{[]string{"banana", "bananas", "plátano", "plátanos", "platano", "platanos", "banane", "bananes", "piesang", "piesangs", "plantain", "plantains"}, []string{"Musa", "Musa acuminata", "Musa paradisiaca"}},
	{[]string{"coconut", "coconuts", "coco", "cocos", "kokosneut", "kokosneute"}, []string{"Cocos nucifera"}},
	{[]string{"durian", "durians"}, []string{"Durio zibethinus"}},
	{[]string{"date", "dates", "dátil", "dátiles", "datte", "dattes", "tâmara", "tâmaras", "dadel", "dadels", "medjool"}, []string{"Phoenix dactylifera"}},
	{[]string{"pomegranate", "pomegranates", "granada", "granadas", "grenade", "grenades", "romã", "romãs", "granaat", "granate"}, []string{"Punica granatum"}},
	{[]string{"granadilla", "granadillas", "passion", "passionfruit", "maracuyá", "maracujá", "maracujas", "grenadella"}, []string{"Passiflora edulis", "Passiflora"}},
	{[]string{"papaya", "papayas", "mamão", "papaja", "papajas"}, []string{"Carica papaya"}},
	{[]string{"guava", "guavas", "guayaba", "guayabas", "goyave", "goyaves", "goiaba", "goiabas", "koejawel", "koejawels"}, []string{"Psidium guajava"}},
	{[]string{"fig", "figs", "higo", "higos", "figue", "figues", "figo", "figos", "vy", "vye"}, []string{"Ficus carica"}},
	{[]string{"strawberry", "strawberries", "fresa", "fresas", "frutilla", "frutillas", "fraise", "fraises", "morango", "morangos", "aarbei", "aarbeie"}, []string{"Fragaria ananassa", "Fragaria"}},
	{[]string{"raspberry", "raspberries", "frambuesa", "frambuesas", "framboise", "framboises", "framboesa", "framboesas", "framboos", "frambose"}, []string{"Rubus idaeus"}},
	{[]string{"persimmon", "persimmons", "caqui", "caquis", "kaki", "kakis", "dióspiro", "dióspiros", "persimon"}, []string{"Diospyros kaki"}},
	{[]string{"litchi", "litchis", "lychee", "lychees", "lichi", "lichis", "lichia", "lietsjie", "lietsjies"}, []string{"Litchi chinensis"}},
	{[]string{"melon", "melons", "melón", "melones", "melão", "melões", "spanspek"}, []string{"Cucumis melo"}},
	{[]string{"watermelon", "watermelons", "sandía", "sandías", "pastèque", "pastèques", "melancia", "melancias", "waatlemoen"}, []string{"Citrullus lanatus"}},
}
