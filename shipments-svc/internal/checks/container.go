package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// containersOf returns the containers that documents declare or name, each
// once, as their letters and digits.
func containersOf(e subject) []string {
	var all []string
	add := func(text string) {
		for _, number := range containerNumbers(text) {
			if !slices.Contains(all, number) {
				all = append(all, number)
			}
		}
	}
	for _, doc := range e.Documents {
		add(doc.Declared.ContainerNumber)
		for _, f := range doc.Facts {
			if f.Kind == shipments.ContainerFact {
				add(f.Text)
			}
		}
	}
	return all
}

// containerNumber fails where a container number is not one (ISO 6346): three
// letters of the owner, U, J or Z, six digits and their check digit.
func containerNumber(e subject) finding {
	containers := containersOf(e)
	var wrong []string
	for _, number := range containers {
		if reason := containerFault(number); reason != "" {
			wrong = append(wrong, number+" "+reason)
		}
	}
	switch {
	case len(containers) == 0:
		return skip("No document names a container.")
	case wrong == nil:
		return pass(sentence(listed(containers) + ": the check digit is right"))
	default:
		return finding{result: shipments.Fail, count: len(wrong), details: sentence(strings.Join(first(wrong), "; "))}
	}
}

// containerFault says what is wrong with a container number, or "".
func containerFault(number string) string {
	const length, letters = 11, 4
	if len(number) != length || strings.Trim(number[:letters], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" ||
		strings.Trim(number[letters:], "0123456789") != "" {
		return "is not four letters and seven digits"
	}
	if !strings.ContainsRune("UJZ", rune(number[letters-1])) {
		return fmt.Sprintf("has the category %c, which must be U, J or Z", number[letters-1])
	}
	if want := containerDigit(number[:length-1]); number[length-1] != want {
		return fmt.Sprintf("ends in %c, its check digit is %c", number[length-1], want)
	}
	return ""
}

// containerDigit returns the check digit of ISO 6346, annex A: values times
// powers of two, modulo 11, modulo 10. Letters count from 10, leaving out
// multiples of 11.
func containerDigit(number string) byte {
	sum := 0
	for i := range len(number) {
		value := int(number[i] - '0')
		if letter := number[i]; letter >= 'A' {
			value = 10 + int(letter-'A')
			value += (value - 1) / 10 // 11, 22 and 33 are left out
		}
		sum += value << i
	}
	return '0' + byte(sum%11%10)
}
