package static

// Same gives the large parts of a page that it shares with many others, in the order in
// which they stand in it: style, views that lie ready and texts of the script, in one,
// and the script. A page made by a template of a shop's own may lack one. Nothing in
// them is about one shopper.
func Same(p Page, v View) []string {
	d := document{View: v}
	c := speaking(v.Lang)
	if v.Brand != nil {
		c = v.Brand.speaks(v.Lang)
	}
	head := string(d.Style())
	if traits[p].shared(v.Room) {
		head += string(c.views[v.Room])
	}
	head += string(c.element())
	switch {
	case p == Prove:
		return []string{head, proveScript}
	case !traits[p].Common:
		return []string{head, ownScript}
	default:
		return []string{head, script}
	}
}
