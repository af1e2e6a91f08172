package wiring

import (
	"context"
	"fmt"
	"io"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// NewLogger writes one JSON object a line to out, and leaves lines out where there
// are very many that say the same (see sampler).
func NewLogger(out io.Writer) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	enc.EncodeDuration = zapcore.StringDurationEncoder
	to := zapcore.Lock(zapcore.AddSync(out))
	json := zapcore.NewCore(zapcore.NewJSONEncoder(enc), to, zapcore.InfoLevel)
	return zap.New(newSampler(json))
}

// OpenLog is NewLogger, into which the lines of libraries go too: of the standard
// one, such as net/http's about a connection, which may carry bytes of shops and
// clients, which JSON escapes; and of Redis's client, which tells of a node that is
// gone or another primary. done ends that and writes out what is left.
func OpenLog(out io.Writer) (log *zap.Logger, done func()) {
	return openLog(NewLogger(out))
}

func openLog(log *zap.Logger) (_ *zap.Logger, done func()) {
	redis.SetLogger(redisLog{log.Named("redis")})
	back := zap.RedirectStdLog(log)
	return log, func() {
		back()
		_ = log.Sync() // standard error may be a pipe
	}
}

// OpenTaskLog is OpenLog for a command that does one thing and says itself what came
// of it: what is no warning is left out, and so is what libraries say.
func OpenTaskLog(out io.Writer) (log *zap.Logger, done func()) {
	return openLog(NewLogger(out).WithOptions(zap.IncreaseLevel(zap.WarnLevel)))
}

// hush leaves out what the client of Redis says, where nothing is logged at all.
func hush() { redis.SetLogger(redisLog{zap.NewNop()}) }

// redisLog takes what the client of Redis says: what comes of it for us, we say.
type redisLog struct{ log *zap.Logger }

func (l redisLog) Printf(_ context.Context, format string, args ...any) {
	l.log.Info("client of redis", zap.String("said", fmt.Sprintf(format, args...)))
}
