package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

func newSchema() *cobra.Command {
	kinds := []string{configs.KindSale, configs.KindRoom, configs.KindOperator}
	return &cobra.Command{
		Use:   "schema " + strings.Join(kinds, "|"),
		Short: "Print the JSON Schema of a kind of file, for editors",
		Long: "Prints what editors need to offer keys, to say what each means and to underline what is\n" +
			"wrong while it is typed: the JSON Schema (draft 2020-12) of a sale's, a room's or the\n" +
			"operator's file. docs/configuration.md says where editors want it.",
		Example: "  waitroom schema sale > sale.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || configs.Schema(args[0]) == nil {
				return &wiring.UsageError{Err: fmt.Errorf("name one kind of file: %s", strings.Join(kinds, ", "))}
			}
			return nil
		},
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := cmd.OutOrStdout().Write(configs.Schema(args[0]))
			return err
		},
	}
}
