package checks

// sizings is the table of calibres: a row for each produce that UNECE sizes by
// codes, diameters or pieces, with the section on sizing of its standard. What
// exporters call by codes of their own, such as table grapes, is left out.
// Where a name has words of several rows, the first counts.
var sizings = []sizing{
	{
		produce: "avocado", words: []string{"avocado", "avocados", "aguacate", "aguacates", "palta", "paltas", "avocat", "avocats", "abacate", "avokado", "avokados"},
		codes:  []string{"2", "4", "6", "8", "10", "12", "14", "16", "18", "20", "22", "24", "26", "28", "30", "S"},
		source: "UNECE FFV-42, III",
	},
	{
		produce: "grapefruit", words: []string{"grapefruit", "grapefruits", "pomelo", "pomelos", "toronja", "pamplemousse", "pomelit", "toranja"},
		codes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, from: 70, to: 180, maxPieces: 80,
		source: "UNECE FFV-14, III, grapefruit",
	},
	{
		produce: "lemon", words: []string{"lemon", "lemons", "limón", "limones", "limon", "citron", "citrons", "limão", "limões", "suurlemoen", "suurlemoene"},
		codes: []string{"0", "1", "2", "3", "4", "5", "6", "7"}, from: 45, to: 90, maxPieces: 250,
		source: "UNECE FFV-14, III, lemons",
	},
	{
		produce: "mandarin", words: []string{
			"mandarin", "mandarins", "mandarina", "mandarinas", "mandarine", "mandarines", "tangerina", "tangerine", "tangerines", "clementine", "clementines",
			"clementina", "clementinas", "satsuma", "satsumas", "nartjie", "nartjies", "nadorcott", "tango", "orri",
		},
		codes: []string{"1-XXX", "1-XX", "1-X", "1XXX", "1XX", "1X", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, from: 34, to: 90, maxPieces: 250,
		source: "UNECE FFV-14, III, mandarins",
	},
	{
		produce: "orange", words: []string{"orange", "oranges", "naranja", "naranjas", "laranja", "laranjas", "lemoen", "lemoene", "valencia", "valencias", "navel", "navels"},
		codes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"}, from: 53, to: 110, maxPieces: 162,
		source: "UNECE FFV-14, III, oranges",
	},
	{
		produce: "peach or nectarine", words: []string{
			"peach", "peaches", "nectarine", "nectarines", "durazno", "duraznos", "melocotón", "melocotones", "nectarina", "nectarinas", "pêche", "pêches",
			"brugnon", "brugnons", "pêssego", "pêssegos", "perske", "perskes", "nektarien", "nektariens",
		},
		codes: []string{"AAAA", "AAA", "AA", "A", "B", "C", "D"}, from: 51, to: 120,
		source: "UNECE FFV-26, III",
	},
	{
		produce: "apple", words: []string{"apple", "apples", "manzana", "manzanas", "pomme", "pommes", "maçã", "maçãs", "appel", "appels"},
		from: 50, to: 110, maxPieces: 260,
		source: "UNECE FFV-50, III",
	},
	{
		produce: "pear", words: []string{"pear", "pears", "pera", "peras", "poire", "poires", "pêra", "pêras", "peer", "pere"},
		from: 45, to: 110, maxPieces: 260,
		source: "UNECE FFV-51, III",
	},
}
