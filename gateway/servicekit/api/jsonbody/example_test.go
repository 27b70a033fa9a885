package jsonbody_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
)

func Example() {
	body, err := jsonbody.Parse([]byte(`{"thing":{"nam":"crane","count":"7"}}`), jsonbody.Limits{Elements: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	thing := body.Object().Object("thing")
	fmt.Printf("%q %d\n", thing.Text("name"), thing.Int("count"))
	for _, fault := range body.Faults() {
		fmt.Println(fault.Code, fault.Pointer, fault.Detail)
	}
	// Output:
	// "" 0
	// invalid_type /thing/count count must be a number, not a string
	// unknown_field /thing/nam there is no member "nam"; did you mean "name"?
}
