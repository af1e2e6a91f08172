package certs

import (
	"crypto/tls"
)

// faces are the three ways in which a handshake is met.
type faces struct {
	shop     *tls.Config // a domain of ours, or who names nobody
	proof    *tls.Config // the issuer, which wants to see that a domain is ours
	stranger *tls.Config // has no certificate, so that it ends in unrecognized_name (RFC 6066, 3)
}

func (k *Keeper) newFaces() faces {
	return faces{
		shop: &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1", "http/1.0"}, // some offer the last alone

			DynamicRecordSizingDisabled: true, // most answers fit into one record, and a record is a system call
			GetCertificate:              func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return k.set.Load().find(hello), nil },
		},
		proof: &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{acmeALPN}, SessionTicketsDisabled: true,
			GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
				if a := k.acme.Load(); a != nil {
					return a.proof(hello)
				}
				return nil, nil
			},
		},
		stranger: &tls.Config{MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true},
	}
}

// TLS is for the public listener: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1. Who names
// a stranger is refused before anything else, and so resumes nothing. The same
// configuration serves for as long as the keeper lives.
func (k *Keeper) TLS() *tls.Config {
	base := k.faces.shop.Clone()
	base.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		switch {
		case k.acme.Load() != nil && len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acmeALPN:
			return k.faces.proof, nil
		case k.set.Load().find(hello) == nil:
			return k.faces.stranger, nil
		default:
			return k.faces.shop, nil
		}
	}
	return base
}
