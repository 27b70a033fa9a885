package tables

import "strings"

// records splits a text into records of fields.
type records struct {
	text      string
	delimiter byte
	quotes    bool // fields may be quoted
	at        int  // offset of the next field
	row       int  // number of the last record
	open      bool // the last record ended within a quoted field
}

// more reports whether there is another record.
func (r *records) more() bool { return r.at < len(r.text) }

// next returns the fields of the next record.
func (r *records) next() []string {
	r.row++
	var fields []string
	for {
		field, last := r.field()
		if len(fields) <= MaxColumns {
			fields = append(fields, field)
		}
		if last {
			return fields
		}
	}
}

// field returns the next field, and whether its record ends with it.
func (r *records) field() (_ string, last bool) {
	start := r.at
	if r.quotes {
		for start < len(r.text) && r.text[start] == ' ' {
			start++
		}
		if start < len(r.text) && r.text[start] == '"' {
			r.at = start + 1
			return r.quoted()
		}
	}
	return r.bare()
}

// bare returns the text before the next delimiter or end of line.
func (r *records) bare() (_ string, last bool) {
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, string([]byte{r.delimiter, '\r', '\n'}))
	if end < 0 {
		r.at = len(r.text)
		return rest, true
	}
	r.at += end
	return rest[:end], r.delimited()
}

// quoted returns a field after its opening quotation mark, with any text between
// the closing one and the delimiter.
func (r *records) quoted() (_ string, last bool) {
	var field strings.Builder
	for {
		rest := r.text[r.at:]
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			r.at, r.open = len(r.text), true
			return field.String() + rest, true
		}
		field.WriteString(rest[:end])
		r.at += end + 1
		if r.at < len(r.text) && r.text[r.at] == '"' {
			field.WriteByte('"')
			r.at++
			continue
		}
		tail, last := r.bare()
		return field.String() + tail, last
	}
}

// delimited skips the delimiter or end of line, and reports whether it was an end
// of line.
func (r *records) delimited() bool {
	c := r.text[r.at]
	r.at++
	if c == '\r' && r.at < len(r.text) && r.text[r.at] == '\n' {
		r.at++
	}
	return c != r.delimiter
}

// unbalanced returns the row of a quoted field that is never closed, or 0.
func (r *records) unbalanced() int {
	probe := *r
	for probe.more() {
		probe.next()
	}
	if probe.open {
		return probe.row
	}
	return 0
}
