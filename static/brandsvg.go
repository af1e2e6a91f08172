package static

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// An SVG can hold scripts, load other files, and do so by ways that few know. Inside an
// image element all that is dead, and it is refused all the same: who saves a logo
// wants to know, and the next place where it is used may be another.

const svgSpace = "http://www.w3.org/2000/svg"

// unwanted are elements that no logo needs, with what they are.
var unwanted = map[string]string{
	"script": "a script", "foreignObject": "a piece of a web page", "iframe": "a web page", "object": "another file", "embed": "another file",
	"audio": "a sound", "video": "a film", "handler": "a script", "listener": "a script",
}

const movement = "movement"

var moving = []string{"animate", "animateColor", "animateMotion", "animateTransform", "set", "discard"}

// outside finds what a style loads, but for a part of the same file.
var outside = regexp.MustCompile(`(?i)@import|(?:url|src|image|image-set)\s*\(\s*["']?\s*[^#\s"']`)

// keyframes begin a movement, in the spelling of any browser.
var keyframes = regexp.MustCompile(`(?i)@(?:-[a-z]+-)?keyframes`)

// lowered are the names of unwanted and moving in small letters: a program that reads the
// file as a web page makes no difference.
func lowered(name string) (what string) {
	for _, one := range moving {
		if strings.EqualFold(one, name) {
			return movement
		}
	}
	for one, what := range unwanted {
		if strings.EqualFold(one, name) {
			return what
		}
	}
	return ""
}

// deep bounds what a picture may be nested: nobody draws so.
const deep = 200

// drawing is an SVG while it is read.
type drawing struct {
	picture          // of no kind before its first element
	depth, style int // elements around what is read, and around the style that it is in; 0: none
}

// readSVG reads one and refuses what is more than a picture.
func readSVG(data []byte) (picture, error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	var svg drawing
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		switch {
		case err != nil && svg.kind == "":
			return picture{}, errNoPicture
		case errors.Is(err, io.EOF):
			return svg.picture, nil
		case err != nil:
			return picture{}, &complaint{fmt.Sprintf("breaks off in line %d: it is no whole SVG", line), "save it again from the program in which it was drawn"}
		}
		if err := svg.begin(token); err != nil {
			return picture{}, err
		}
		switch found := svg.take(token); found {
		case "":
		case movement:
			return picture{}, errMoves
		default:
			return picture{}, &complaint{fmt.Sprintf("holds %s in line %d, which a picture does not need", found, line), "save it as plain SVG, without scripts, links and what lies elsewhere"}
		}
	}
}

// begin looks whether this is an SVG at all, which its first element says.
func (svg *drawing) begin(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		switch {
		case svg.kind != "":
		case t.Name.Local != "svg" || t.Name.Space != svgSpace && t.Name.Space != "":
			return errNoPicture
		case t.Name.Space == "":
			return &complaint{"its svg element has no namespace, so browsers do not draw it", `write <svg xmlns="` + svgSpace + `" …>`}
		default:
			svg.kind = "image/svg+xml"
			svg.width, svg.height = extent(t)
		}
	case xml.Directive:
		if bytes.EqualFold(bytes.Join(bytes.Fields(t), []byte(" ")), []byte("doctype html")) {
			return errNoPicture
		}
	}
	return nil
}

// take goes on to the next token and says what it has that a picture does not need;
// empty: nothing.
func (svg *drawing) take(token xml.Token) string {
	switch t := token.(type) {
	case xml.StartElement:
		svg.depth++
		if t.Name.Local == "style" {
			svg.style = svg.depth
		}
		if svg.depth > deep {
			return "parts in parts without an end"
		}
		return suspect(t)
	case xml.EndElement:
		if svg.depth == svg.style {
			svg.style = 0
		}
		svg.depth--
	case xml.CharData:
		if svg.style > 0 {
			return suspectStyle(t)
		}
	case xml.Directive:
		return suspectKind(t)
	case xml.ProcInst:
		if t.Target != "xml" {
			return "a note to programs (" + t.Target + ")"
		}
	}
	return ""
}

// suspectStyle is suspect of a style. In one a letter can be written as its number.
func suspectStyle(style []byte) string {
	switch {
	case outside.Match(style), bytes.Contains(style, []byte(`\`)):
		return "a style that loads something else"
	case keyframes.Match(style):
		return movement
	}
	return ""
}

// suspectKind is suspect of what says of which kind a file is.
func suspectKind(kind []byte) string {
	upper := bytes.ToUpper(kind)
	switch {
	case bytes.Contains(upper, []byte("[")), bytes.Contains(upper, []byte("ENTITY")):
		return "words of its own (entities)"
	case bytes.Contains(upper, []byte(" SYSTEM")):
		return "a link to something else"
	}
	return ""
}

var errNoPicture = &complaint{"is no picture that we know", "save it as SVG, PNG or WebP"}

// suspect says what an element has that a picture does not need; empty: nothing.
func suspect(e xml.StartElement) string {
	if what := lowered(e.Name.Local); what != "" {
		return what
	}
	if strings.Contains(e.Name.Space, "xhtml") {
		return "a piece of a web page"
	}
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.TrimSpace(a.Value)
		within := strings.HasPrefix(value, "#") || value == ""
		picture := strings.HasPrefix(strings.ToLower(value), "data:image/") && !strings.HasPrefix(strings.ToLower(value), "data:image/svg")
		switch {
		case strings.HasPrefix(name, "on") && a.Name.Space == "":
			return "a script (" + a.Name.Local + ")"
		case name == "handler" && a.Name.Space != "":
			return "a script (" + a.Name.Local + ")"
		case (name == "href" || name == "src") && e.Name.Local == "a", (name == "href" || name == "src") && !within && !picture:
			return "a link to something else"
		case name == "base" && a.Name.Space != "":
			return "a link to something else"
		case a.Name.Space != "xmlns" && name != "xmlns" && (outside.MatchString(value) || name == "style" && strings.Contains(value, `\`)):
			return "a style that loads something else"
		}
	}
	return ""
}

// extent is how large a picture says that it is, or in what proportion.
func extent(svg xml.StartElement) (width, height float64) {
	var box []string
	for _, a := range svg.Attr {
		if a.Name.Space != "" {
			continue
		}
		switch a.Name.Local {
		case "width":
			width = length(a.Value)
		case "height":
			height = length(a.Value)
		case "viewBox":
			box = strings.FieldsFunc(a.Value, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
		}
	}
	if len(box) == 4 && (width <= 0 || height <= 0) {
		return finite(box[2]), finite(box[3])
	}
	if width <= 0 || height <= 0 {
		return 300, 150 // as CSS has it
	}
	return width, height
}

// finite is a number, or nothing for what is none to anybody who draws.
func finite(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n
}

var lengthForm = regexp.MustCompile(`^\s*([0-9]*\.?[0-9]+)\s*(px|pt|pc|mm|cm|in|em|rem)?\s*$`)

// length is one in units of its own: only the proportion of two counts.
func length(text string) float64 {
	found := lengthForm.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(found[1], 64)
	return n
}
