// Command waitroom is the doorman: a reverse proxy that lets a crowd into a
// sale at the rate the shop can bear.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
)

var version = "dev" // set by the build

func main() { os.Exit(wiring.Main(newRoot(), os.Args[1:], os.Stdout, os.Stderr)) }

func newRoot() *cobra.Command {
	root := wiring.NewRoot("waitroom", "A waiting room in front of your shop", version)
	root.AddCommand(newRun(), newCheck(), newVerify(), newInvite(), newRehearse(), newDemo(), newStorefront(), newCrowd(), newSchema(), newNew(), newCalendar(), newPreview(), newTexts(), newTemplates())
	return root
}
