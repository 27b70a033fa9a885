package pages

import "net/http"

// Problem is what the page of an error says: the data of the page "error", which every Set has. As for any page it is
// the Data of the whole, which also has the RequestID.
type Problem struct {
	Heading, Text string
	To, Link      string // where to go on; "": the shipments
	ShowRequest   bool   // the request's id helps to find the cause
}

// problems are those of statuses.
var problems = map[int]Problem{
	http.StatusBadRequest: {
		Heading: "The request can't be read", Text: "No changes were made. Go back, reload the page and try again.",
	},
	http.StatusUnauthorized: {Heading: "Sign-in required", Text: "Open the page through the gateway's address."},
	http.StatusForbidden: {
		Heading: "You don't have permission",
		Text:    "No changes were made: your role in this organization does not allow this. Ask an owner or admin.",
	},
	http.StatusNotFound: {
		Heading: "Page not found",
		Text: "The address may be incorrect, or what it shows was deleted or belongs to an organization that you aren't a " +
			"member of.",
	},
	http.StatusMethodNotAllowed: {Heading: "Method not allowed", Text: "Go back and use the buttons on the page."},
	http.StatusRequestEntityTooLarge: {
		Heading: "Form too large", Text: "No changes were made. Go back and shorten what you entered.",
	},
	http.StatusTooManyRequests: {
		Heading: "Too many requests at once",
		Text:    "No changes were made. Your organization has too many requests in progress: wait a few seconds and reload.",
	},
	http.StatusInternalServerError: {
		Heading: "Something went wrong",
		Text: "The error was logged. If you were making a change, check whether it took effect. If it persists, contact " +
			"support with the request ID below.",
		ShowRequest: true,
	},
	http.StatusServiceUnavailable: {
		Heading: "Temporarily unavailable",
		Text: "Wait a few seconds and reload. If you were making a change, check whether it took effect before you " +
			"repeat it.",
		ShowRequest: true,
	},
}

// ProblemOf returns the page of a status, and whether there is one.
func ProblemOf(status int) (p Problem, known bool) {
	p, known = problems[status]
	return p, known
}
