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
