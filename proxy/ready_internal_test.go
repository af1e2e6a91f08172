package proxy

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/waitroom/waitroom/proxy/stitch"
	"github.com/waitroom/waitroom/static"
)

// chosenByUs are the texts of a view that no request can choose: those of the
// configuration, of the operators and of the program.
var chosenByUs = []string{"Lang", "Offered", "Sale", "Title", "Message", "ProductPage", "BuyMethod", "BuyPath", "Odds", "Mix"}

// TestLasting: of each text that a request can choose there is a copy in what is kept.
func TestLasting(t *testing.T) {
	t.Parallel()
	text := []byte("/text-of-a-request")
	piece := unsafe.String(unsafe.SliceData(text), len(text))
	var v static.View
	fields := reflect.ValueOf(&v).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.String && f.CanSet() {
			f.SetString(piece)
		}
	}
	v = lasting(v)
	clear(text)
	for i := range fields.NumField() {
		name, f := fields.Type().Field(i).Name, fields.Field(i)
		if f.Kind() == reflect.String && !slices.Contains(chosenByUs, name) && f.String() != "/text-of-a-request" {
			t.Errorf("%s is still a piece of the request", name)
		}
	}
}

// TestPagesOutlastRequests: what lies ready is found under its key, whatever becomes of the
// memory of the request that it was made for.
func TestPagesOutlastRequests(t *testing.T) {
	t.Parallel()
	text := []byte("shop.example.com/where/it/was/asked")
	host, address := unsafe.String(&text[0], 16), unsafe.String(&text[16], len(text)-16)
	pack := stitch.NewPacker()
	ready, common, sheets := newReady(), newCommon(), newSheets()
	v := static.View{Lang: "en", Host: host, RenewAt: address, Whole: address, HasNumber: true, HasPlace: true, Place: 7, Ahead: 7, Low: time.Minute, High: time.Hour, Refresh: time.Minute}
	if _, err := ready.render(static.SlowDown, &v); err != nil {
		t.Fatal(err)
	}
	if _, err := common.render(static.SoldOut, &v, pack); err != nil {
		t.Fatal(err)
	}
	if _, ok := sheets.render(nil, static.Waiting, &v, pack, true); !ok {
		t.Fatal("the page of who waits has no stencil")
	}
	clear(text)
	for _, key := range ready.pages.Keys() {
		if !ready.pages.Contains(key) {
			t.Error("a page that lies ready has lost its key")
		}
	}
	for _, key := range common.pages.Keys() {
		if !common.pages.Contains(key) {
			t.Error("a page of this second has lost its key")
		}
	}
	for _, key := range sheets.ready.Keys() {
		if !sheets.ready.Contains(key) {
			t.Error("a sheet has lost its key")
		}
	}
}

// TestFramedIsNotKept: it leads to what was asked for, which anybody chooses.
func TestFramedIsNotKept(t *testing.T) {
	t.Parallel()
	h := &house{ready: newReady(), common: newCommon(), sheets: newSheets(), speech: newSpeech(), pack: stitch.NewPacker()}
	for _, path := range []string{"/a", "/b"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://shop.example.com"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "iframe")
		q := questionOf(r)
		a := problem(http.StatusNotFound, "not_found", static.NotFound)
		a.ready = h.ready
		body := string(a.put(&head{header: http.Header{}}, nil, &q, h))
		if !strings.Contains(body, `href="`+path+`"`) {
			t.Errorf("%s: the page does not lead there", path)
		}
	}
	if n := h.ready.pages.Len() + h.common.pages.Len(); n != 0 {
		t.Errorf("%d pages lie ready, want none", n)
	}
}
