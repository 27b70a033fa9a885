package transport_test

import "testing"

// BenchmarkIntrospect is what a gateway waits for when it does not know a
// token: the whole way through HTTP to Postgres and back, the network apart.
func BenchmarkIntrospect(b *testing.B) {
	p := start(b)
	_, good := p.create(b, nil)
	forms := map[string]string{"active": formOf(good), "unknown": known, "malformed": "token=nonsense"}
	for name, form := range forms {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if res := p.introspect(b, form, nil); res.Code != 200 {
					b.Fatal(res.Code)
				}
			}
		})
	}
}
