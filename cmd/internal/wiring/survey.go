package wiring

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/waitroom/waitroom/cmd/internal/survey"
	"github.com/waitroom/waitroom/configs"
)

// surveyAgain is how long after a survey in which there was a fault the store is
// asked again, until there is none.
const surveyAgain = 30 * time.Second

// Survey asks the stores that a configuration names, which are not embedded,
// whether they are fit, on connections of its own. It is for a command that logs
// nothing: what clients of stores say of theirs is left out from then on.
func Survey(ctx context.Context, cfg *configs.Config) ([]survey.Finding, error) {
	hush()
	rdb, err := openRedis(cfg.Redis.URL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rdb.Close() }()
	return append(survey.Redis(ctx, rdb, cfg.Redis.URL), survey.Postgres(ctx, cfg.Postgres.URL)...), nil
}

// watch says in the log what a survey finds, once for each finding, until there
// is no fault or ctx is done. A program starts all the same: what needs no store
// is served without, and a store may be mended meanwhile.
func watch(ctx context.Context, log *zap.Logger, ask func(context.Context) []survey.Finding) {
	said := map[survey.Finding]bool{}
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		found := ask(ctx)
		if ctx.Err() != nil {
			return
		}
		for _, f := range found {
			if !said[f] {
				said[f] = true
				tellFinding(log, f)
			}
		}
		if !survey.Faulty(found) {
			return
		}
		again.Reset(surveyAgain)
	}
}

func tellFinding(log *zap.Logger, f survey.Finding) {
	write := log.Info
	switch f.Level {
	case survey.Fault:
		write = log.Error
	case survey.Warning:
		write = log.Warn
	}
	write("store is not as it should be", zap.Stringer("finding", f.Level), zap.String("store", f.Store), zap.String("what", f.Words))
}
