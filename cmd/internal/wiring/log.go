package wiring

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// NewLogger writes one JSON object a line to out, and leaves lines out where there
// are very many that say the same (see sampler).
func NewLogger(out io.Writer) *zap.Logger { return zap.New(newLog(out)) }

func newLog(out io.Writer) *sampler {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	enc.EncodeDuration = zapcore.StringDurationEncoder
	to := zapcore.Lock(zapcore.AddSync(out))
	json := zapcore.NewCore(zapcore.NewJSONEncoder(enc), to, zapcore.InfoLevel)
	return newSampler(json)
}

// OpenLog is NewLogger, into which the lines of libraries go too: of the standard
// one, such as net/http's about a connection, which may carry bytes of shops and
// clients, which JSON escapes; and of Redis's client, which tells of a node that is
// gone or another primary. done ends that and writes out what is left.
func OpenLog(out io.Writer) (log *zap.Logger, done func()) {
	to := newLog(out)
	ctx, stop := context.WithCancel(context.Background())
	var telling sync.WaitGroup
	telling.Go(func() { to.run(ctx) })
	log, end := openLog(zap.New(to))
	return log, func() {
		stop()
		telling.Wait()
		end()
	}
}

func openLog(log *zap.Logger) (_ *zap.Logger, done func()) {
	redis.SetLogger(redisLog{log.Named("redis")})
	back := zap.RedirectStdLog(log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return library{c} })))
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

// library takes what net/http says. A shop that sends more than an answer is told of
// without what it sent: in the same words each time, so that these lines are sampled.
type library struct{ zapcore.Core }

func (l library) With(fields []zapcore.Field) zapcore.Core { return library{l.Core.With(fields)} }

func (l library) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if strings.HasPrefix(e.Message, "Unsolicited response received") {
		e.Message = "origin sent more than its answer"
	}
	return l.Core.Check(e, to)
}

// hush leaves out what the client of Redis says, where nothing is logged at all.
func hush() { redis.SetLogger(redisLog{zap.NewNop()}) }

// redisLog takes what the client of Redis says: what comes of it for us, we say.
type redisLog struct{ log *zap.Logger }

func (l redisLog) Printf(_ context.Context, format string, args ...any) {
	l.log.Info("client of redis", zap.String("said", fmt.Sprintf(format, args...)))
}
