package settings_test

import (
	"fmt"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/settings"
)

func ExampleLoad() {
	type config struct {
		Address string        `env:"LISTEN_ADDRESS" envDefault:":8080" doc:"Address of the public listener."`
		Timeout time.Duration `env:"TIMEOUT" envDefault:"1s" doc:"Timeout of a request."`
	}
	cfg, err := settings.Load[config]([]string{"TIMEOUT=2s"}) // in a program: os.Environ()
	fmt.Println(cfg.Address, cfg.Timeout, err)
	// Output: :8080 2s <nil>
}
