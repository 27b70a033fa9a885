package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// message identifies log lines of one program by their text and the state that
// they report: whose address it is, and how long it is ejected, which doubles
// with each ejection.
type message struct{ program, text, state string }

// warning returns the message of a log line of at least level warn. There is none
// in access logs.
func warning(program string, line []byte) (m message, ok bool) {
	var entry struct {
		Level, Msg, Logger string
		Address, For       json.RawMessage
	}
	if json.Unmarshal(line, &entry) != nil || entry.Logger == "http.log.access" {
		return m, false // not JSON, or incomplete, or an access log
	}
	switch entry.Level {
	case "info", "INFO", "debug", "DEBUG":
		return m, false
	}
	return message{program, entry.Msg, string(entry.Address) + string(entry.For)}, true
}

// logMarks are the lengths of the programs' logs at some moment.
type logMarks map[string]int64

// markLogs returns the present lengths.
func (r *topology) markLogs() (logMarks, error) {
	marks := logMarks{}
	for _, p := range r.stack.Programs() {
		info, err := os.Stat(r.logPath(p.Name))
		if err != nil {
			return nil, err
		}
		marks[p.Name] = info.Size()
	}
	return marks, nil
}

// messagesSince counts the lines of at least level warn that each program wrote
// after the mark, without access logs.
func (r *topology) messagesSince(marks logMarks) (map[message]int, error) {
	counts := map[message]int{}
	for program, mark := range marks {
		log, err := os.Open(r.logPath(program))
		if err != nil {
			return nil, err
		}
		_, err = log.Seek(mark, io.SeekStart)
		text, readErr := io.ReadAll(log)
		_ = log.Close()
		if err != nil || readErr != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			if m, ok := warning(program, line); ok {
				counts[m]++
			}
		}
	}
	return counts, nil
}

// logPath is the path of a program's log, which has a suffix while a pipe
// replaces it.
func (r *topology) logPath(program string) string {
	path := filepath.Join(r.stack.LogDir(), program+".log")
	if _, err := os.Stat(path + aside); err == nil {
		path += aside
	}
	return path
}
