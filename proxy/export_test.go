package proxy

import "github.com/waitroom/waitroom/configs"

// Apply is Prepare and what follows at once.
func (e *Edge) Apply(cfg *configs.Config) error {
	serve, err := e.Prepare(cfg)
	if err == nil {
		serve()
	}
	return err
}
