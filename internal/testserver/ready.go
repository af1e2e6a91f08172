package testserver

import (
	"net"
	"net/http"
	"time"
)

// asks bounds one question whether a program is ready.
const asks = time.Second

// Listens is ready, as [NewProgram] wants it, once somebody listens at an address.
func Listens(address string) func() bool {
	return func() bool {
		conn, err := net.DialTimeout("tcp", address, asks)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}
}

// Healthy is ready, as [NewProgram] wants it, once the program at an address says
// so itself, at /readyz.
func Healthy(address string) func() bool {
	client := &http.Client{Timeout: asks}
	return func() bool {
		res, err := client.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	}
}
