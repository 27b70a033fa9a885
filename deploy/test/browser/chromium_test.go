package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is the time-out of everything that a test waits for.
const patience = time.Minute

// tab is a page of a browser. Its methods fail the test on errors and after patience.
type tab struct {
	*testing.T
	ctx     context.Context
	base    string // the address that the browser uses, without a trailing slash
	address string // the client address that the gateway sees
}

// open starts a browser with an empty profile, whose address of the gateway is base.
func open(t *testing.T) *tab {
	t.Helper()
	return openAt(t, stack.URL)
}

// openAt starts a browser in which the gateway has another name.
func openAt(t *testing.T, base string) *tab {
	t.Helper()
	if chromium == "" {
		t.Skip("no Chromium on PATH; on Debian: apt-get install chromium")
	}
	address := loopbacks()
	rules := "MAP " + strings.TrimPrefix(base, "http://") + " " + forward(t, address) +
		", MAP 127.0.0.1 127.0.0.1, MAP * ~NOTFOUND" // no other hosts
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, chromedp.DisableGPU, // tests run as root in containers
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", rules),
	)
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	b := &tab{T: t, base: base, address: address}
	b.ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(b.ctx); err != nil {
		t.Fatalf("start %s: %v", chromium, err)
	}
	b.size(1280, 800)
	t.Cleanup(b.keepPicture)
	return b
}

var lastLoopback atomic.Uint32

// loopbacks returns an address of the loopback net that was not used before.
func loopbacks() string {
	n := lastLoopback.Add(1)
	return fmt.Sprintf("127.20.%d.%d", n/250, n%250+1)
}

// forward listens and passes connections on to the gateway from an address.
func forward(t *testing.T, from string) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go pass(client, dialer)
		}
	}()
	return l.Addr().String()
}

// pass copies in both directions until one of the connections closes.
func pass(client net.Conn, dialer *net.Dialer) {
	gateway, err := dialer.DialContext(context.Background(), "tcp", strings.TrimPrefix(stack.URL, "http://"))
	if err != nil {
		_ = client.Close()
		return
	}
	for _, way := range [][2]net.Conn{{client, gateway}, {gateway, client}} {
		go func() {
			buffer := make([]byte, 32<<10)
			for {
				n, err := way[0].Read(buffer)
				if _, werr := way[1].Write(buffer[:n]); err != nil || werr != nil {
					_, _ = client.Close(), gateway.Close()
					return
				}
			}
		}()
	}
}

// do runs actions in order.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Fatalf("at %s: %v", b.path(), err)
	}
}

// ask runs an action and returns its result.
func ask[T any](b *tab, action chromedp.Action[T]) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	answer, err := chromedp.Run(ctx, action)
	if err != nil {
		b.Fatalf("at %s: %v", b.path(), err)
	}
	return answer
}

// eval evaluates a JavaScript expression, awaiting it when it is a promise.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	return ask(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// visit navigates to a path, as from the address bar, and returns the status.
func (b *tab) visit(path string) int {
	b.Helper()
	return int(ask(b, chromedp.NavigateResponse(b.base+path)).Status)
}

// follow clicks an element, waits for the next page and returns its status.
func (b *tab) follow(selector string) int {
	b.Helper()
	return b.load(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// click clicks a visible element, without waiting for an effect.
func (b *tab) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// fill replaces the text of a field.
func (b *tab) fill(selector, text string) {
	b.Helper()
	b.do(chromedp.Focus(chromedp.CSS(selector), chromedp.NodeVisible), edit("selectAll"), edit("delete"),
		chromedp.KeyEvent(text))
}

// edit runs an editing command of the browser, as keyboard shortcuts do.
func edit(command string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeRawKeyDown, Commands: []string{command},
		})
		return err
	})
}

// load runs an action, waits for the next page and returns its status.
func (b *tab) load(actions ...chromedp.Action[chromedp.Void]) int {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	response, err := chromedp.RunResponse(ctx, actions...)
	if err != nil {
		b.Fatalf("at %s: %v", b.path(), err)
	}
	return int(response.Status)
}

// awaits waits until a JavaScript expression is true.
func (b *tab) awaits(expression string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		// While the next page loads there is no page to evaluate in.
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			b.Fatalf("at %s: never true: %s\n%s", b.path(), expression, b.body())
		case <-tick.C:
		}
	}
}

// reloadsUntil visits a page repeatedly until a JavaScript expression is true there,
// for at most the interval in which gateways report usage.
func (b *tab) reloadsUntil(path, expression string) {
	b.Helper()
	for deadline := time.Now().Add(2 * patience); ; {
		b.visit(path)
		if eval[bool](b, "!!("+expression+")") {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("at %s: never true: %s\n%s", path, expression, b.body())
		}
	}
}

// sees waits until a text is on the page.
func (b *tab) sees(text string) {
	b.Helper()
	quoted, _ := json.Marshal(text)
	b.awaits("document.body.innerText.includes(" + string(quoted) + ")")
}

// body is the text of the page.
func (b *tab) body() string {
	b.Helper()
	return eval[string](b, "document.body.innerText")
}

// has reports whether the page has an element.
func (b *tab) has(selector string) bool {
	b.Helper()
	quoted, _ := json.Marshal(selector)
	return eval[bool](b, "document.querySelector("+string(quoted)+") !== null")
}

// path is the path of the current page.
func (b *tab) path() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	location, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return strings.TrimPrefix(location, b.base)
}

// size sets the size of the window, in CSS pixels.
func (b *tab) size(width, height int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// dark makes the device prefer dark or light colours.
func (b *tab) dark(dark bool) {
	b.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	b.prefers("prefers-color-scheme", value)
}

// prefers sets a media feature, and no other.
func (b *tab) prefers(feature, value string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	}); err != nil {
		b.Fatal(err)
	}
}

// withoutScript disables JavaScript.
func (b *tab) withoutScript() {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.Fatal(err)
	}
}

// keepPicture writes a screenshot of the last page of a failed test.
func (b *tab) keepPicture() {
	if !b.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		var dir string
		if dir, err = os.MkdirTemp("", "quayside-picture-"); err == nil {
			path := filepath.Join(dir, strings.ReplaceAll(b.Name(), "/", "_")+".png")
			if err = os.WriteFile(path, png, 0o600); err == nil {
				b.Logf("the page at the end: %s", path)
			}
		}
	}
	if err != nil {
		b.Logf("no picture: %v", err)
	}
}

// back goes one page back in the history.
func (b *tab) back() {
	b.Helper()
	b.do(chromedp.NavigateBack())
}

// reload loads the page again, as F5 does, and confirms that a form is sent again.
func (b *tab) reload() int {
	b.Helper()
	return b.load(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.Reload, page.ReloadParams{})
		return err
	}))
}

// cookies are those that the browser keeps for the gateway.
func cookies(b *tab) []*network.Cookie {
	b.Helper()
	result, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{b.base +
		"/settings"}})
	if err != nil {
		b.Fatal(err)
	}
	if len(result.Cookies) == 0 {
		b.Error("the browser has no cookie")
	}
	return result.Cookies
}
