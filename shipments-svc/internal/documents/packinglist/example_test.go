package packinglist_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

func ExampleRead() {
	const content = "Pallet,Variety,Count,Cartons,Net kg\nZA-1,Hass,18,264,1056\nZA-2,Fuerte,20,240,960\n"
	read, err := packinglist.Read(context.Background(), strings.NewReader(content),
		packinglist.Options{Kind: tables.CSV, Size: int64(len(content))})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range read.Pallets {
		fmt.Println(p.Number, p.ProduceName, p.Calibre, p.Boxes, p.BoxWeight, p.Source.Row)
	}
	// Output:
	// ZA-1 Hass 18 264 4000 2
	// ZA-2 Fuerte 20 240 4000 3
}
