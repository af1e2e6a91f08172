package main

import (
	"fmt"
	"strings"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

// saleNamed finds the sale that --sale names in those of a file. Where there is
// one, the name may be left out.
func saleNamed(id string, sales []configs.Sale, file string) (*configs.Sale, error) {
	names := make([]string, len(sales))
	for i := range sales {
		if sales[i].ID == id || id == "" && len(sales) == 1 {
			return &sales[i], nil
		}
		names[i] = sales[i].ID
	}
	all := strings.Join(names, ", ")
	switch {
	case len(sales) == 0:
		return nil, &wiring.UsageError{Err: fmt.Errorf("--sale: there is none in %s", file)}
	case id == "":
		return nil, &wiring.UsageError{Err: fmt.Errorf("--sale: name one of those in %s: %s", file, all)}
	}
	return nil, &wiring.UsageError{Err: fmt.Errorf("--sale %q: there is none of that name in %s, but %s", id, file, all)}
}
