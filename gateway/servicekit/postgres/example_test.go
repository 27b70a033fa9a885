package postgres_test

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// A DSN that differs from that of the direct connection leads through a pooler.
func ExampleSessionOf() {
	const direct, pooled = "postgres://things@postgres/things", "postgres://things@pgbouncer/things"
	fmt.Printf("%+v\n", postgres.SessionOf(direct, direct))
	fmt.Printf("%+v\n", postgres.SessionOf(pooled, direct))
	// Output:
	// {Direct:true AnswerTimeout:0s}
	// {Direct:false AnswerTimeout:0s}
}
