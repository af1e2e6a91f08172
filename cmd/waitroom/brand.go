package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/waitroom/waitroom/cmd/internal/wiring"
	"github.com/waitroom/waitroom/static"
)

// newTexts lists what a brand can say in other words.
func newTexts() *cobra.Command {
	cmd := &cobra.Command{
		Use: "texts", Short: "List the texts of the pages, to say some of them in other words",
		Long: "Prints every text that shoppers read, with the name under which a sale's file replaces\n" +
			"it: write it under brand, texts, or there under a language. What stands in braces is filled\n" +
			"in. docs/branding.md tells more.",
		Example: "  waitroom texts --language de | grep ^waiting",
	}
	lang := cmd.Flags().String("language", "en", "`tag` of the language")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		texts := static.Texts(*lang)
		if texts == nil {
			return &wiring.UsageError{Err: fmt.Errorf("--language %s: pages are not in it, but in %s", *lang, strings.Join(static.Languages(), ", "))}
		}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %q\n", name, texts[name]); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// newTemplates gives a brand's own templates something to begin with.
func newTemplates() *cobra.Command {
	cmd := &cobra.Command{
		Use: "templates DIR", Short: "Write the pages' templates into a folder, to change them",
		Long: "Writes page.html, view.html and page.css into a folder, as waitroom has them. Change what\n" +
			"you like, delete what you leave as it is, and name the folder under brand, templates. No\n" +
			"file that is there is overwritten. docs/branding.md tells more.",
		Args: oneFolder,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // nothing secret
			return err
		}
		for name, text := range static.Templates() {
			file := filepath.Join(args[0], name)
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // nothing secret
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already, and stays as it is: name another folder", file)
			} else if err != nil {
				return err
			}
			_, err = f.WriteString(text)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", args[0])
		return err
	}
	return cmd
}

// oneFolder is the Args of a command that writes into a folder.
func oneFolder(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return fmt.Errorf("%s: name a folder to write into, as golden-toy", cmd.Name())
	case len(args) > 1:
		return fmt.Errorf("%q is one too many: %s writes into one folder", args[1], cmd.Name())
	}
	return nil
}
