package proxy

import "strings"

// robots are how visitors name themselves that look at pages for others: search
// engines, and what shows a link before somebody opens it. They are nobody who could
// buy, and stand in no line; who takes such a name takes no advantage.
var robots = []string{
	"googlebot", "bingbot", "applebot", "duckduckbot", "yandexbot", "baiduspider", "petalbot",
	"slackbot", "twitterbot", "discordbot", "telegrambot", "linkedinbot", "pinterestbot", "redditbot", "mastodon",
	"facebookexternalhit", "meta-externalagent", "whatsapp", "skypeuripreview",
	"gptbot", "claudebot", "bytespider", "ahrefsbot", "semrushbot",
}

// isRobot reports whether a request says that it comes from one of them.
func (q *question) isRobot() bool {
	said := strings.ToLower(cut(q.field("User-Agent")))
	for _, name := range robots {
		if strings.Contains(said, name) {
			return true
		}
	}
	return false
}
