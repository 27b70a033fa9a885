package chaos

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// message is one sort of log line of one program.
type message struct{ program, text string }

// logMarks are how long each program's log was at some moment.
type logMarks map[string]int64

// markLogs remembers where each log ends.
func (r *rig) markLogs() (logMarks, error) {
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

// messagesSince counts the lines that each program wrote after the mark,
// without those that tell of one request, one line each: the access logs.
// Lines below a warning are left out: a program that starts or drains says so.
func (r *rig) messagesSince(marks logMarks) (map[message]int, error) {
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
				continue // a line of the runtime, or the end of one
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

// logPath is where a program's log is: beside its usual place while that is a
// pipe.
func (r *rig) logPath(program string) string {
	path := filepath.Join(r.stack.LogDir(), program+".log")
	if beside := path + aside; exists(beside) {
		return beside
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
