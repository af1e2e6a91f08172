package configs

import "strings"

// otherWords are what people call a sale's keys in place of their names.
var otherWords = map[string][]string{
	"sale":         {"id", "name", "sale_id", "sale_name", "slug", "verkauf", "aktion"},
	"title":        {"headline", "heading", "product", "product_name", "titel", "titre", "título", "titulo", "überschrift"},
	"timezone":     {"zone", "tz", "time_zone", "zeitzone"},
	"doors":        {"door", "doors_open", "lottery", "entry", "einlass", "türen"},
	"opens":        {"start", "starts", "open", "opening", "begin", "begins", "from", "date", "time", "start_time", "öffnet", "beginn", "opens_at", "start_date"},
	"closes":       {"end", "ends", "close", "closing", "until", "to", "stop", "end_time", "schließt", "ende", "closes_at", "end_date"},
	"repeat":       {"repeats", "every", "recurring", "schedule", "weekly", "wiederholung"},
	"product_page": {"page", "url", "link", "product_url", "path", "address", "produktseite", "seite"},
	"buy":          {"purchase", "order", "buy_url", "kaufen"},
	"checkout":     {"pay", "payment", "checkout_url", "cart", "kasse"},
	"stock":        {"units", "unit", "quantity", "qty", "amount", "pieces", "available", "inventory", "anzahl", "menge", "bestand", "stück"},
	"per_account":  {"per_person", "per_customer", "limit", "max_per_person", "max_per_customer", "pro_person", "pro_kunde"},
	"admit":        {"rate", "speed", "admission", "admit_rate", "throughput", "tempo"},
	"hold":         {"hold_time", "reservation", "time_to_pay", "payment_time", "reserve", "haltezeit"},
	"price":        {"cost", "preis", "prix", "precio", "unit_price"},
	"languages":    {"language", "lang", "langs", "sprache", "sprachen"},
	"brand":        {"branding", "design", "style", "theme", "look", "marke"},
	"colour":       {"color", "farbe", "couleur"},
	"room":         {"raum", "waiting_room"},
}

// meantKey is the key that is known here and that another word means.
func meantKey(word string, known []string) (string, bool) {
	word = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(word)))
	if contains(known, word) {
		return word, true
	}
	for key, words := range otherWords {
		if contains(known, key) && contains(words, word) {
			return key, true
		}
	}
	return "", false
}
