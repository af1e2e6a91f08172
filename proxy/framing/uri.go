package framing

// isEncoded reports whether each percent sign of a target's path begins an octet:
// of one that does not, some readers make one all the same.
func isEncoded[T text](target T) bool {
	for i := 0; i < len(target) && target[i] != '?'; i++ {
		if target[i] != '%' {
			continue
		}
		if len(target) < i+3 || !all(target[i+1:i+3], inHex) {
			return false
		}
		i += 2
	}
	return true
}

// isHost reports whether a text is a name or an address, with a port or without:
// what is registered as a name, and none of what a URI could have beside it.
func isHost[T text](b T) bool {
	end := index(b, ':')
	if len(b) > 0 && b[0] == '[' {
		end = index(b, ']') + 1
		return end > len("[]") && all(b[1:end-1], inAddress) && isPort(b[end:])
	}
	if end < 0 {
		end = len(b)
	}
	return end > 0 && all(b[:end], inHost) && isPort(b[end:])
}

// isPort reports whether a text is a port with its colon, or nothing.
func isPort[T text](b T) bool {
	return len(b) == 0 || b[0] == ':' && len(b) <= len(":65535") && all(b[1:], inDigits)
}

const maxDigits = 18 // of a length: it fits into any reader's number

// parseLength reads a Content-Length (RFC 9110, 8.6).
func parseLength[T text](value T) (int64, bool) {
	if len(value) == 0 || len(value) > maxDigits || !all(value, inDigits) {
		return 0, false
	}
	var n int64
	for i := range len(value) {
		n = n*10 + int64(value[i]-'0')
	}
	return n, true
}
