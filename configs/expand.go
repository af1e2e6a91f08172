package configs

import (
	"regexp"
	"strings"
)

// expanded lists the keys in whose values ${NAME} stands for the environment:
// secrets and addresses. List items count as their list.
func expanded(key string) bool {
	switch key, _, _ = strings.Cut(key, "["); key {
	case "listen.https", "listen.http", "listen.admin", "worker.listen",
		"origin.url", "redis.url", "postgres.url", "worker.refund_url",
		"bots.check.secret", "bots.check.url", "secret", "admin.token", "worker.token", "identity.jwt.key":
		return true
	}
	return false
}

var (
	anyReference = regexp.MustCompile(`\$\{[^}]*\}?`)
	environment  = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
)

// expand puts in what the environment holds. Nothing that comes from there is
// ever part of a complaint. Sale files have no environment: there the
// characters stay as they are.
func (v value) expand(text string) (string, *complaint) {
	if v.doc.env == nil || !strings.Contains(text, "${") {
		return text, nil
	}
	if !expanded(v.key) {
		return "", complain("the environment is read in secrets and addresses only").advise("write the value itself")
	}
	var wrong *complaint
	text = anyReference.ReplaceAllStringFunc(text, func(found string) string {
		name := environment.FindStringSubmatch(found)
		if name == nil {
			wrong = complain("not a reference to the environment").advise("write ${NAME}, nothing more")
			return ""
		}
		held, ok := v.doc.env(name[1])
		switch held = strings.TrimSpace(held); {
		case !ok:
			wrong = complain("the environment has no %s", name[1]).advise("set it")
		case held == "":
			wrong = complain("%s is empty in the environment", name[1]).advise("give it a value")
		}
		return held
	})
	return text, wrong
}
