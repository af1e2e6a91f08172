package listen

import (
	"errors"
	"fmt"
	"io"

	"go.uber.org/zap"
)

// errPanic is what a server reads of a connection on which we have failed.
var errPanic = errors.New("we have failed here")

// guard is deferred where a connection is read or written in a goroutine that nobody else
// guards, as net/http does its handlers' and that which reads HTTP/1: a fault of ours ends
// that connection, and never the program. It says so, closes c, and lets err tell of it.
func guard(log *zap.Logger, c io.Closer, err *error) {
	thrown := recover()
	if thrown == nil {
		return
	}
	log.Error("connection panicked", zap.Error(fmt.Errorf("panic: %v", thrown)), zap.Stack("stack"))
	_ = c.Close()
	*err = errPanic
}
