package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// containersOf returns the distinct container numbers that documents declare or
// name, as letters and digits.
func containersOf(s subject) []string {
	var all []string
	add := func(text string) {
		for _, number := range containerNumbers(text) {
			if !slices.Contains(all, number) {
				all = append(all, number)
			}
		}
	}
	for _, p := range s.Pallets {
		add(p.Container)
	}
	for _, doc := range s.Documents {
		add(doc.Declared.ContainerNumber)
		for _, f := range doc.Facts {
			if f.Kind == shipments.ContainerFact {
				add(f.Text)
			}
		}
	}
	return all
}

// containerNumber fails where a container number is invalid.
func containerNumber(s subject) finding {
	containers := containersOf(s)
	if len(containers) == 0 {
		return skip("No document names a container.")
	}
	var f finding
	for _, number := range containers {
		if problem := containerProblem(number); problem != "" {
			f.report(shipments.Fail, number+": "+problem)
		}
	}
	return f.or(pass(sentence(listed(containers) + ": check digit is correct")))
}

// containerProblem describes the fault of a container number; "" for none.
// ISO 6346: three letters of the owner, a category U, J or Z, six digits and a
// check digit.
func containerProblem(number string) string {
	const length, letters = 11, 4
	if len(number) != length || strings.Trim(number[:letters], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" ||
		strings.Trim(number[letters:], "0123456789") != "" {
		return "expected four letters and seven digits"
	}
	if category := number[letters-1]; !strings.ContainsRune("UJZ", rune(category)) {
		return fmt.Sprintf("category is %c, expected U, J or Z", category)
	}
	if want := containerDigit(number[:length-1]); number[length-1] != want {
		return fmt.Sprintf("check digit is %c, expected %c", number[length-1], want)
	}
	return ""
}

// containerDigit returns the check digit of ISO 6346, annex A: values times
// powers of two, modulo 11, modulo 10. Letters have the values from 10 up,
// without multiples of 11.
func containerDigit(number string) byte {
	sum := 0
	for i := range len(number) {
		value := int(number[i] - '0')
		if letter := number[i]; letter >= 'A' {
			value = 10 + int(letter-'A')
			value += (value - 1) / 10 // skips 11, 22 and 33
		}
		sum += value << i
	}
	return '0' + byte(sum%11%10)
}
