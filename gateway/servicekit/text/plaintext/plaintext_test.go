package plaintext

import (
	"strings"
	"testing"
)

func TestRefusedCharacters(t *testing.T) {
	t.Parallel()
	for _, r := range "\x00\t\n\x1b\x7f\u0085\u2028\u2029\u061c\u200e\u200f\u202a\u202e\u2066\u2069" {
		if !Refused(r) {
			t.Errorf("%U is allowed", r)
		}
	}
	for _, r := range "a ñ🍊\u00a0\u200b\u200d\ufe0f\u0301" {
		if Refused(r) {
			t.Errorf("%U is refused", r)
		}
	}
}

func TestBlankTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", " ", "\u00a0\u2003", "\u200b", "\u200b\ufeff \u200d", "\u2028", "\u3164",
		"\u115f\u1160", "\ufe0f", "\u2800", "\u00ad", "\U000e0020",
	} {
		if !Blank(s) {
			t.Errorf("%+q shows something", s)
		}
	}
	for _, s := range []string{"a", "\u200b-", "👩\u200d🌾", "ﷺ", "\x00"} {
		if Blank(s) || s != "\x00" && strings.ContainsFunc(s, Refused) {
			t.Errorf("%+q is refused", s)
		}
	}
}

func TestCellsAreNoFormulasWhateverSeparatesThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"PO-7": "PO-7", "Rotterdam, NL": "Rotterdam, NL", "'=1": "'=1", "": "",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t'=1", "\r1": "'\r1",
		"PO-7;=cmd|'/C calc'!A0;x": "PO-7;'=cmd|'/C calc'!A0;x", "a,=1": "a,'=1", "a\t=1": "a\t'=1", "a|-1": "a|'-1",
		"a; =1": "a; '=1", `a;"=1"`: `a;"'=1"`, `"=1"`: `"'=1"`, ";;=1": ";;'=1",
		"＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠1": "'＠1",
	} {
		if got := Cell(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
