package static

import "html/template"

// said are the values of the holes that the texts of a page have, with their names.
func (d document) said() []string {
	if d.ready { // they are the script's to fill
		return []string{"n", d.T.isolate(d.T.number(d.Ahead))}
	}
	return []string{
		"sale", d.T.isolate(d.Name),
		"n", d.T.isolate(d.T.number(d.Ahead)),
		"opens", d.T.isolate(d.Opening),
		"doors", d.T.isolate(d.T.moment(d.DoorsAt, "doors.unnamed")),
	}
}

// teller gives texts of the page with their holes filled, as HTML in which an instant is
// one that the script can find.
func (d document) teller() func(name string) template.HTML {
	values := d.said()
	for i := 1; i < len(values); i += 2 {
		switch values[i-1] {
		case "opens":
			values[i] = timeElement(d.OpensAt, values[i])
		case "doors":
			values[i] = timeElement(d.DoorsAt, values[i])
		default:
			values[i] = template.HTMLEscapeString(values[i])
		}
	}
	fill := holes(values...)
	return func(name string) template.HTML {
		return template.HTML(fill.Replace(template.HTMLEscapeString(d.T.of(d.Page, d.Room, name))))
	}
}
