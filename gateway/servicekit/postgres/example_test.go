package postgres_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// A DSN that differs from that of the direct connection leads through a pooler.
func ExampleSessionOf() {
	const direct, pooled = "postgres://thingsgithub.com/quayside/quayside/gateway/servicekit/postgres/things", "postgres://thingsgithub.com/quayside/quayside/gateway/servicekit/pgbouncer/things"
	fmt.Printf("%+v\n", postgres.SessionOf(direct, direct, ""))
	fmt.Printf("%+v\n", postgres.SessionOf(pooled, direct, ""))
	// Output:
	// {Direct:true Prepare:true}
	// {Direct:false Prepare:false}
}
