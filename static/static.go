package static

import "embed"

// files holds the layout, the style and the script (web), and the texts
// (messages, one file a language), and how languages write (languages.json).
//
//go:embed web messages languages.json
var files embed.FS

// read gives an embedded file, which the build has made sure of.
func read(name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic("static: " + err.Error())
	}
	return content
}
