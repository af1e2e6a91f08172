package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/configs"
)

func newNew() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new sale",
		Short: "Ask a few questions in plain words, and write the file of a sale",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("new has no %q: write new sale", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSale())
	return cmd
}

func newSale() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sale [FILE]",
		Short: "Ask a few questions in plain words, and write the file of a sale",
		Long: "Asks what is sold, when and how fast, one question at a time. Each answer is judged at\n" +
			"once by the rules by which files are read, and said back where it can be taken in more\n" +
			"than one way. What stands in brackets is meant by an empty line. At the end it shows\n" +
			"what the sale will do, and writes the file once you have said yes: a file that there is\n" +
			"is never overwritten, and Ctrl-C writes nothing. Answers may be given as flags, too; with\n" +
			"--yes nothing is asked.",
		Example: "  waitroom new sale\n" +
			"  waitroom new sale --yes --title 'Golden toy' --opens '2027-11-26 10:00' --timezone Europe/Berlin \\\n" +
			"    --product-page /toys/golden --stock 100",
		Args: wiring.Files(0, 1),
	}
	config := wiring.ConfigFlag(cmd)
	yes := cmd.Flags().Bool("yes", false, "ask nothing: take what is proposed where no flag gives an answer")
	for _, q := range questions() {
		cmd.Flags().String(flagOf(q.key), "", strings.ToLower(q.ask[:1])+strings.SplitAfter(q.ask[1:], "?")[0])
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		i := &interview{now: time.Now(), draft: configs.Draft{}, given: map[string]string{}, yes: *yes,
			out: cmd.OutOrStdout(), lines: readLines(cmd.Context(), cmd.InOrStdin())}
		for _, q := range questions() {
			if f := cmd.Flags().Lookup(flagOf(q.key)); f.Changed {
				i.given[q.key] = f.Value.String()
			}
		}
		if err := i.lookAround(*config, cmd.Flags().Changed("config"), args); err != nil {
			return err
		}
		return i.run(cmd.Context())
	}
	return cmd
}

// flagOf is the flag that answers the question of a key.
func flagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// lookAround finds out which sales there are and where the new one's file goes.
func (i *interview) lookAround(config string, named bool, args []string) error {
	i.config, i.folder = config, "."
	if named && !isThere(config) {
		return &wiring.UsageError{Err: fmt.Errorf("--config %s: there is no such file", config)}
	}
	if isThere(config) {
		var faults configs.Faults
		sales, rooms, err := configs.LoadSales(config, i.now)
		if err != nil && !errors.As(err, &faults) {
			return err
		}
		if err != nil {
			i.say("What is there already has faults, so it is not all compared with the new sale (waitroom check %s lists them).\n", config)
		}
		i.sales, i.rooms, i.folder = sales, rooms, filepath.Dir(config)
		switch inside := filepath.Join(i.folder, "sales"); {
		case len(sales) > 0:
			i.folder = filepath.Dir(sales[0].File)
		case isFolder(inside):
			i.folder = inside
		}
	}
	if len(args) > 0 {
		i.file = args[0]
	}
	if !isThere(config) {
		i.lookBeside()
	}
	if i.file == "" {
		return nil
	}
	if err := fitting(i.file); err != nil {
		return &wiring.UsageError{Err: err}
	}
	return nil
}

// fitting says why a file cannot become a sale's, before anything is asked.
func fitting(file string) error {
	switch dir := filepath.Dir(file); {
	case isFolder(file):
		return fmt.Errorf("%s is a folder: name a file in it, as %s", file, filepath.Join(file, "golden-toy.yaml"))
	case isThere(file):
		return fmt.Errorf("%s is there already, and no file is overwritten: name another, or change that one in an editor", file)
	case !isFolder(dir):
		return fmt.Errorf("%s: there is no folder %s: make it, or name a file in another", file, dir)
	case filepath.Ext(file) != ".yaml":
		return fmt.Errorf("%s: files of sales end in .yaml, write %s.yaml", file, strings.TrimSuffix(file, filepath.Ext(file)))
	}
	return nil
}

// lookBeside finds the sales of the folder in which the new one's file goes, where no
// operator's file says which there are.
func (i *interview) lookBeside() {
	if isFolder("sales") {
		i.folder = "sales"
	}
	folder := i.folder
	if i.file != "" {
		folder = filepath.Dir(i.file)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.yaml")) // the pattern is right
	for _, file := range files {
		if !configs.IsSaleFile(file) {
			continue
		}
		switch sale, room, err := configs.LoadSaleFile(file, i.now); {
		case err != nil:
		case room != nil:
			i.rooms = append(i.rooms, *room)
		default:
			i.sales = append(i.sales, *sale)
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// target is the file that is written.
func (i *interview) target() string {
	if i.file != "" {
		return i.file
	}
	return i.fileOf(i.draft["sale"])
}

// fileOf is the file of a sale of which only the name is known.
func (i *interview) fileOf(id string) string { return filepath.Join(i.folder, id+".yaml") }
