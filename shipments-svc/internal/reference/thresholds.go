package reference

// Plausible weights.
const (
	// LightestBox and HeaviestBox bound the weight of a box in any unit: berries are
	// packed in boxes of 0.5 kg and more, and 25 kg is the most that one person should
	// lift (ISO 11228-1).
	LightestBox = 100
	HeaviestBox = 50_000
	// LightestPallet is less than a single layer of any produce weighs. A lighter
	// pallet usually means that boxes and pallets were confused.
	LightestPallet = 50_000
	// HeaviestPallet is the safe working load of an EUR-pallet, EPAL 1 (European
	// Pallet Association, product data sheet: 1,500 kg).
	HeaviestPallet = 1_500_000
	// UsualPayload is that of a 40 ft high-cube reefer of 34,000 kg gross and about
	// 4,500 kg tare, as carriers publish it.
	UsualPayload = 29_500_000
	// HeaviestPayload follows from ISO 668:2020, at most 36,000 kg gross, and a tare of
	// at least 4,000 kg.
	HeaviestPayload = 32_000_000

	// UsualBox is the weight above which a box is remarked on: one person should lift 25 kg
	// at most (ISO 11228-1).
	UsualBox = 30_000

	// LightestLine and HeaviestLine are of the weights of lines of packing lists.
	LightestLine = 30_000
	HeaviestLine = 2_000_000
)
