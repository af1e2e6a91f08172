package certs

import (
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// calm takes the error out of lines that are no warnings: certmagic tells with one
// that an account or a certificate is not there yet, which is how it starts.
type calm struct{ zapcore.Core }

func calmed(log *zap.Logger) *zap.Logger {
	return log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core { return calm{core} }))
}

// With is for zap.
func (c calm) With(fields []zapcore.Field) zapcore.Core { return calm{c.Core.With(fields)} }

// Check is for zap: the fields are known only when a line is written.
func (c calm) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

func (c calm) Write(e zapcore.Entry, fields []zapcore.Field) error {
	if e.Level < zapcore.WarnLevel {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f zapcore.Field) bool { return f.Type == zapcore.ErrorType })
	}
	return c.Core.Write(e, fields)
}
