package crowd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// persist sends a request up to three times, with a pause of 0.1 to 0.6 s
// between; spread, from 0 to 1, keeps shoppers from coming back as one.
func persist(ctx context.Context, b *browser, q request, spread float64) (reply, error) {
	var last error
	for try := range presses {
		if try > 0 && !sleep(ctx, time.Duration((0.1+0.2*spread)*float64(try)*float64(time.Second))) {
			break
		}
		r, err := b.exchange(ctx, q)
		if err == nil && (r.status < 500 || r.status == http.StatusServiceUnavailable) {
			return r, nil
		}
		if err == nil {
			err = fmt.Errorf("answer %d", r.status)
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return reply{}, last
}

// cause is the short name of an error, without addresses, so that the kinds of
// problem stay few.
func cause(err error) error {
	if isTimeout(err) {
		return errors.New("timed out")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("cut off")
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
