package postgres

import (
	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// partKey is the shipment of a pallet or check, and its position.
type partKey struct {
	Shipment uuid.UUID `json:"shipment_id"`
	Position int       `json:"position"` // from 1
}

// palletRow is a pallet as it is written.
type palletRow struct {
	partKey
	shipments.Pallet

	SSCC *string `json:"sscc"`
}

// palletRows returns pallets of a shipment as rows after the given position.
func palletRows(id shipments.ID, after int, all []shipments.Pallet) []palletRow {
	rows := make([]palletRow, len(all))
	for i, p := range all {
		rows[i] = palletRow{partKey: partKey{uuid.UUID(id), after + i + 1}, Pallet: p}
		if sscc, ok := p.Label(); ok {
			rows[i].SSCC = &sscc
		}
	}
	return rows
}

// checkRow is a check as it is written.
type checkRow struct {
	partKey
	shipments.Check
}

func checkRows(id shipments.ID, all []shipments.Check) []checkRow {
	rows := make([]checkRow, len(all))
	for i, c := range all {
		rows[i] = checkRow{partKey{uuid.UUID(id), i + 1}, c}
	}
	return rows
}
