package chaos

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// message identifies log lines of one program by their text.
type message struct{ program, text string }

// logMarks are the lengths of the programs' logs at some moment.
type logMarks map[string]int64

// markLogs returns the present lengths.
func (r *topology) markLogs() (logMarks, error) {
	marks := logMarks{}
	for _, p := range r.stack.Programs() {
		info, err := os.Stat(r.logPath(p.Name()))
		if err != nil {
			return nil, err
		}
		marks[p.Name()] = info.Size()
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
			var entry struct{ Level, Msg, Logger string }
			if json.Unmarshal(line, &entry) != nil {
				continue // not JSON, or incomplete
			}
			switch entry.Level {
			case "info", "INFO", "debug", "DEBUG":
			default:
				if entry.Logger != "http.log.access" {
					counts[message{program, entry.Msg}]++
				}
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
