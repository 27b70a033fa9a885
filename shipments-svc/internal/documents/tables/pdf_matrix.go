package tables

import "github.com/ledongthuc/pdf"

// matrix transforms points: x' = m0·x + m2·y + m4, y' = m1·x + m3·y + m5 (ISO
// 32000-1, 8.3.4).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func shift(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

// matrixOf parses a matrix of six numbers.
func matrixOf(number func(int) pdf.Value) (m matrix) {
	for i := range m {
		m[i] = number(i).Float64()
	}
	return m
}

// times returns the transformation by m and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// at transforms a point.
func (m matrix) at(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// upright returns the rotation of a page (ISO 32000-1, table 30, Rotate).
func upright(page pdf.Value) matrix {
	box := inherited(page, "MediaBox")
	width, height := box.Index(2).Float64(), box.Index(3).Float64()
	switch inherited(page, "Rotate").Int64() {
	case 90, -270:
		return matrix{0, -1, 1, 0, 0, width}
	case 180, -180:
		return matrix{-1, 0, 0, -1, width, height}
	case 270, -90:
		return matrix{0, 1, -1, 0, height, 0}
	default:
		return identity
	}
}

// turned returns the rotation of a page whose texts run upwards, or downwards: negative.
func turned(page pdf.Value, runs float64) matrix {
	box := inherited(page, "MediaBox")
	if runs > 0 {
		return matrix{0, -1, 1, 0, 0, box.Index(2).Float64()}
	}
	return matrix{0, 1, -1, 0, box.Index(3).Float64(), 0}
}

// inherited returns an entry of a page or of its nearest ancestor with one. It
// returns none for cyclic page trees.
func inherited(node pdf.Value, key string) pdf.Value {
	const deepest = 100
	for range deepest {
		if v := node.Key(key); !v.IsNull() {
			return v
		}
		node = node.Key("Parent")
	}
	return pdf.Value{}
}
