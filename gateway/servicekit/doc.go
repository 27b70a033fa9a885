// Package servicekit has no code; its subpackages are what a service behind the
// gateway needs. The example is a whole service.
package servicekit
