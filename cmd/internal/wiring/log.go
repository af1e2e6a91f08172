package wiring

import (
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Of equal messages in a second, the first so many are written, then every so
// manieth: a sale writes millions of access records that say the same, and a
// store that is away is told of once, not once a request.
const (
	sampleFirst = 200
	sampleThen  = 100
)

// NewLogger writes one JSON object a line to out.
func NewLogger(out io.Writer) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	enc.EncodeDuration = zapcore.StringDurationEncoder
	to := zapcore.Lock(zapcore.AddSync(out))
	json := zapcore.NewCore(zapcore.NewJSONEncoder(enc), to, zapcore.InfoLevel)
	return zap.New(zapcore.NewSamplerWithOptions(json, time.Second, sampleFirst, sampleThen))
}

// OpenLog is NewLogger, into which the standard library's lines go too, such as
// net/http's about a connection: they may carry bytes of shops and clients, which
// JSON escapes. done ends that and writes out what is left.
func OpenLog(out io.Writer) (log *zap.Logger, done func()) {
	log = NewLogger(out)
	back := zap.RedirectStdLog(log)
	return log, func() {
		back()
		_ = log.Sync() // standard error may be a pipe
	}
}
