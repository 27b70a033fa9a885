package checks

// sizings is the table of calibres: produce that UNECE standards size by code,
// diameter or number, with the section on sizing. Produce for which exporters use
// codes of their own, such as table grapes, is not in it. Where a standard says
// "and above", the upper bound is one that no fruit exceeds.
//
// Editions: FFV-14 of 2017, the others of that time. Not verified against the
// published texts.
var sizings = []sizing{
	{
		produce: "avocado", commodity: "Persea americana",
		codes:  []string{"2", "4", "6", "8", "10", "12", "14", "16", "18", "20", "22", "24", "26", "28", "30", "S"},
		source: "UNECE FFV-42, III",
	},
	{
		produce: "grapefruit", commodity: "Citrus paradisi",
		codes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, from: 70, to: 180, maxPieces: 80,
		source: "UNECE FFV-14, III, grapefruit",
	},
	{
		produce: "lemon", commodity: "Citrus limon",
		codes: []string{"0", "1", "2", "3", "4", "5", "6", "7"}, from: 45, to: 90, maxPieces: 250,
		source: "UNECE FFV-14, III, lemons",
	},
	{
		produce: "mandarin", commodity: "Citrus reticulata",
		codes: []string{"1-XXX", "1-XX", "1-X", "1XXX", "1XX", "1X", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, from: 34, to: 90, maxPieces: 250,
		source: "UNECE FFV-14, III, mandarins",
	},
	{
		produce: "orange", commodity: "Citrus sinensis",
		codes: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"}, from: 53, to: 110, maxPieces: 162,
		source: "UNECE FFV-14, III, oranges",
	},
	{
		produce: "peach or nectarine", commodity: "Prunus persica",
		codes: []string{"AAAA", "AAA", "AA", "A", "B", "C", "D"}, from: 51, to: 120,
		source: "UNECE FFV-26, III",
	},
	{
		produce: "apple", commodity: "Malus domestica",
		from: 50, to: 110, maxPieces: 260,
		source: "UNECE FFV-50, III",
	},
	{
		produce: "pear", commodity: "Pyrus communis",
		from: 45, to: 110, maxPieces: 260,
		source: "UNECE FFV-51, III",
	},
}
