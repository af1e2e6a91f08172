package static

// Same gives the large parts of a page that it shares with many others, in the order in
// which they stand in it: its style, the texts of the script, the views that lie ready,
// the script. A page made by a template of a shop's own may lack one. Nothing in them
// is about one shopper.
func Same(p Page, v View) []string {
	c, look := speaking(v.Lang), style
	if v.Brand != nil {
		c, look = v.Brand.speaks(v.Lang), v.Brand.style
	}
	parts := []string{look, string(c.live)}
	if traits[p].shared(v.Room) {
		parts = append(parts, string(c.views[v.Room]))
	}
	switch {
	case p == Prove:
		return append(parts, proveScript)
	case !traits[p].Common:
		return append(parts, ownScript)
	default:
		return append(parts, script)
	}
}
