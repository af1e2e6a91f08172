package wiring

import (
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Of equal messages in a second, the first so many are written, then every so
// manieth: a sale writes millions of access records that say the same.
const (
	sampleFirst = 200
	sampleThen  = 100
)

// NewLogger writes one JSON object a line to out. Access records are sampled
// under load; warnings and worse never are.
func NewLogger(out io.Writer) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	enc.EncodeDuration = zapcore.StringDurationEncoder
	to := zapcore.Lock(zapcore.AddSync(out))
	calm := zap.LevelEnablerFunc(func(l zapcore.Level) bool { return l == zapcore.InfoLevel })
	loud := zap.LevelEnablerFunc(func(l zapcore.Level) bool { return l >= zapcore.WarnLevel })
	json := zapcore.NewJSONEncoder(enc)
	return zap.New(zapcore.NewTee(
		zapcore.NewSamplerWithOptions(zapcore.NewCore(json, to, calm), time.Second, sampleFirst, sampleThen),
		zapcore.NewCore(json, to, loud),
	))
}
