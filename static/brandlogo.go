package static

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"math"
	"strings"
)

// logo is a picture inside the page: it is never loaded, and its place is known before
// it is drawn.
type logo struct {
	Source        template.HTMLAttr // the src attribute
	Text          string
	Width, Height int // on the page, in CSS pixels
}

// The room that a logo has on a page, in CSS pixels.
const logoWidth, logoHeight = 240, 56

// maxPixels bounds what a browser unpacks: a small file can be a vast picture.
const maxPixels = 4 << 20

// picture is what a file holds.
type picture struct {
	kind          string // image/png and its like
	width, height float64
}

// logo reads the picture of a look; nil if it has none.
func (l Look) logo() (*logo, Faults) {
	if len(l.Logo) == 0 {
		return nil, nil
	}
	p, wrong := readPicture(l.Logo)
	if wrong != nil {
		return nil, Faults{{"brand.logo", wrong.what, wrong.right}}
	}
	scale := min(logoWidth/p.width, logoHeight/p.height)
	return &logo{
		Source: source(p.kind, l.Logo), Text: l.LogoText,
		Width: max(1, int(math.Round(p.width*scale))), Height: max(1, int(math.Round(p.height*scale))),
	}, nil
}

// complaint is a fault of one thing whose place its reader knows.
type complaint struct{ what, right string }

func (c *complaint) Error() string { return c.what + ", " + c.right }

// readPicture finds out by its content what a picture is: names lie.
func readPicture(data []byte) (picture, *complaint) {
	p, err := picture{}, error(nil)
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		p, err = readPNG(data)
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		p, err = readWebP(data)
	default:
		for start, kind := range map[string]string{"\xff\xd8\xff": "a JPEG", "GIF8": "a GIF", "\x00\x00\x01\x00": "an ICO", "BM": "a BMP", "%PDF": "a PDF", "II*\x00": "a TIFF", "MM\x00*": "a TIFF"} {
			if bytes.HasPrefix(data, []byte(start)) {
				return p, &complaint{"is " + kind + " picture, whatever its name", "save it as SVG, PNG or WebP"}
			}
		}
		p, err = readSVG(data)
	}
	if wrong, ok := errors.AsType[*complaint](err); ok {
		return p, wrong
	}
	switch {
	case err != nil:
		return p, &complaint{"cannot be read: " + err.Error(), "save it again as SVG, PNG or WebP"}
	case p.width <= 0 || p.height <= 0 || p.kind != "image/svg+xml" && p.width*p.height > maxPixels:
		return p, &complaint{fmt.Sprintf("is %.0f by %.0f pixels large", p.width, p.height), fmt.Sprintf("it is shown in %d by %d: save it at twice that", logoWidth, logoHeight)}
	case p.width/p.height > 20 || p.height/p.width > 4:
		return p, &complaint{fmt.Sprintf("is %.0f by %.0f, too long and thin to be seen", p.width, p.height), "cut off what is empty around it"}
	}
	return p, nil
}

var errMoves = &complaint{"moves, and nothing may move beside a text that is read", "save a picture that stands still"}

func readPNG(data []byte) (p picture, err error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return p, errors.New(strings.TrimPrefix(err.Error(), "png: "))
	}
	if bytes.Contains(data, []byte("acTL")) {
		return p, errMoves
	}
	return picture{"image/png", float64(c.Width), float64(c.Height)}, nil
}

// readWebP reads the size of one (RFC 9649).
func readWebP(data []byte) (p picture, err error) {
	p.kind = "image/webp"
	if len(data) < 30 {
		return p, errors.New("it ends too soon")
	}
	body := data[20:]
	switch string(data[12:16]) {
	case "VP8 ":
		p.width = float64(binary.LittleEndian.Uint16(body[6:]) & 0x3fff)
		p.height = float64(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(body[1:])
		p.width, p.height = float64(bits&0x3fff+1), float64(bits>>14&0x3fff+1)
	case "VP8X":
		if body[0]&2 != 0 {
			return p, errMoves
		}
		three := func(b []byte) float64 { return float64(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16) + 1 }
		p.width, p.height = three(body[4:]), three(body[7:])
	default:
		return p, errors.New("it is no WebP that we know")
	}
	return p, nil
}

// source is the src attribute for a picture. An SVG stays text, which packs better.
func source(kind string, data []byte) template.HTMLAttr {
	if kind != "image/svg+xml" {
		return template.HTMLAttr(`src="data:` + kind + ";base64," + base64.StdEncoding.EncodeToString(data) + `"`) //nolint:gosec // digits
	}
	var out strings.Builder
	out.WriteString(`src="data:image/svg+xml,`)
	for _, c := range bytes.TrimSpace(data) {
		switch {
		case c == '\n', c == '\r', c == '\t':
			out.WriteByte(' ')
		case c < ' ', c >= 0x7f, c == '"', c == '%', c == '#', c == '&', c == '<', c == '>':
			fmt.Fprintf(&out, "%%%02X", c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return template.HTMLAttr(out.String()) //nolint:gosec // nothing that ends it is left
}

// logoStyle: on dark, and where the reader's device has colours of its own, a logo keeps
// the light ground that it is made for.
const logoStyle = `.logo{margin:0 0 1.5rem}
.logo img{display:block;max-width:100%;height:auto;border-radius:.25rem}
@media (prefers-color-scheme:dark){.logo img{box-sizing:content-box;padding:.5rem .75rem;background:#fff;border-radius:.6rem;max-width:calc(100% - 1.5rem)}}
@media (forced-colors:active){.logo img{box-sizing:content-box;padding:.5rem .75rem;background:#fff;forced-color-adjust:none;max-width:calc(100% - 1.5rem)}}
`
