package configs

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Nothing in this file quotes what it refuses: an address may hold a password.

// listenAddress reads host:port, the host optional.
func listenAddress(text string) (string, *complaint) {
	const right = `write host:port, as ":443" or "127.0.0.1:9180"`
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", complain("not an address to listen on").advise(right)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 || !digits.MatchString(port) {
		return "", complain("the port is not a number from 0 to 65535").advise(right)
	}
	if host != "" && !isIP(host) {
		if _, c := domain(host); c != nil {
			return "", complain("the host is neither a name nor an IP address").advise(right)
		}
	}
	return text, nil
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// originURL reads the storefront's scheme, host and port, or its socket.
func originURL(text string) (*url.URL, *complaint) {
	const right = "write one as http://10.0.0.5:8080"
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, complain("not a URL").advise(right)
	case u.Scheme == "unix":
		return socketURL(u)
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "h2c":
		return nil, complain("the scheme is not http, https, h2c or unix").advise(right)
	case u.Hostname() == "":
		return nil, complain("the host is missing").advise(right)
	case u.User != nil:
		return nil, complain("holds a user name, which is not sent").advise(right)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, complain("holds more than scheme, host and port").advise(right)
	case badPort(u):
		return nil, complain("the port is not a number from 1 to 65535").advise(right)
	}
	u.Path, u.ForceQuery = "", false
	return u, nil
}

// socketURL checks the address of a socket: an absolute path and nothing more.
func socketURL(u *url.URL) (*url.URL, *complaint) {
	if u.Host != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || len(u.Path) < 2 || u.Path[0] != '/' {
		return nil, complain("not the path of a socket").advise("write one as unix:///run/shop.sock")
	}
	return u, nil
}

// directoryURL reads the address of an ACME server's directory.
func directoryURL(text string) (*url.URL, *complaint) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || badPort(u) {
		return nil, complain("not the https URL of an ACME directory").advise("write one as https://acme.example.com/directory")
	}
	return u, nil
}

// webOrigin reads an origin of https in the one form in which browsers send it.
func webOrigin(text string) (string, *complaint) {
	const right = "write one as https://app.example.com"
	if text == "*" {
		return "", complain("everybody's pages could ask").advise("name each, as https://app.example.com")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", complain("not an origin").advise(right)
	case u.Scheme != "https":
		return "", complain("the scheme is not https").advise(right)
	case u.Hostname() == "" || badPort(u):
		return "", complain("not an origin").advise(right)
	case strings.Trim(u.Path, "/") != "":
		return "", complain("holds a path").advise("leave it out: an origin is scheme, host and port")
	}
	if host := u.Hostname(); !isIP(host) {
		if _, c := domain(host); c != nil || strings.Contains(host, "*") {
			return "", complain("the host is not a name").advise("name each, as https://app.example.com")
		}
	}
	return "https://" + strings.ToLower(strings.TrimSuffix(u.Host, ":443")), nil
}

func badPort(u *url.URL) bool {
	if u.Port() == "" {
		return strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.Atoi(u.Port())
	return err != nil || n < 1 || n > 65535
}

// secretURL reads a URL that may hold a password, by its scheme.
func secretURL(right string, schemes ...string) func(string) (Secret, *complaint) {
	return func(text string) (Secret, *complaint) {
		u, err := url.Parse(text)
		if err != nil {
			return Secret{}, complain("not a URL").advise("write one as " + right)
		}
		if !slices.Contains(schemes, u.Scheme) {
			return Secret{}, complain("the scheme is not %s", either(schemes)).advise("write one as " + right)
		}
		if u.Host == "" && u.Path == "" && u.RawQuery == "" {
			return Secret{}, complain("the host is missing").advise("write one as " + right)
		}
		return NewSecret(text), nil
	}
}

// network reads the network of trusted proxies, or one address of them.
func network(text string) (netip.Prefix, *complaint) {
	const right = "write a network as 10.0.0.0/8 or an address as 10.0.0.5"
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, complain("%q is not a network", text).advise(right)
	}
	if p != p.Masked() {
		return netip.Prefix{}, complain("%q has bits beyond its mask", text).advise("write " + p.Masked().String())
	}
	if p.Bits() == 0 {
		return netip.Prefix{}, complain("%q trusts everybody", text).advise("name the networks of your own proxies")
	}
	return p, nil
}
