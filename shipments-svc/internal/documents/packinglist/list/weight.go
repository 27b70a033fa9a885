package list

import (
	"fmt"
	"strconv"
	"strings"
)

// Grams is a weight, exact to what the product shows: thousandths of a kilogram.
type Grams int

// Kilograms returns the weight as the product shows it.
func (g Grams) Kilograms() float64 { return float64(g) / 1000 }

// Figure formats a number for people, with separators of thousands.
func Figure(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Figure formats the weight in kilograms: "4.125", "3,861".
func (g Grams) Figure() string {
	text := Figure(int(g / 1000))
	if rest := g % 1000; rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text
}
