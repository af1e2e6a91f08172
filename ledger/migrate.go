package ledger

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrateTries is how often a worker tries that met others at the same work.
const migrateTries = 20

// Migrate brings the tables up to date. Many workers may start at once: each
// step is one transaction, so the first one wins, and the others find it done
// when they try again. (A lock over the whole would need a connection of its own,
// which a pooler of transactions cannot give.)
func (b *Books) Migrate(ctx context.Context) error {
	steps, err := fs.Sub(migrations, "migrations/"+b.dialect.name)
	if err != nil {
		return fmt.Errorf("migrate books: %w", err)
	}
	provider, err := goose.NewProvider(goose.Dialect(b.dialect.name), b.db, steps,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrate books: %w", err)
	}
	for try := 1; ; try++ {
		_, err = provider.Up(ctx)
		if err == nil {
			return nil
		}
		if try == migrateTries || !pause(ctx, 50*time.Millisecond+rand.N(100*time.Millisecond)) {
			return fmt.Errorf("migrate books: %w", err)
		}
	}
}
