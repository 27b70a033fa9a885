package reader

import "sync"

// maxPages is how many bytes of pages are kept.
const maxPages = 16 << 20

// pages keeps the pages that were made last, by the digest of their file.
type pages struct {
	mu    sync.Mutex
	shown map[string][]byte
	order []string // of keys, oldest first
	size  int
}

func (p *pages) get(key string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown, ok := p.shown[key]
	return shown, ok
}

func (p *pages) put(key string, shown []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.shown[key]; ok || len(shown) > maxPages {
		return
	}
	if p.shown == nil {
		p.shown = map[string][]byte{}
	}
	p.shown[key], p.order, p.size = shown, append(p.order, key), p.size+len(shown)
	for p.size > maxPages {
		oldest := p.order[0]
		p.size -= len(p.shown[oldest])
		delete(p.shown, oldest)
		p.order = p.order[1:]
	}
}
