package contract_test

import (
	"testing"

	"github.com/waitroom/waitroom/internal/contract"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openapi.yaml"} {
		contract.Read(t, name)
	}
}
