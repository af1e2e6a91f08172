package configs

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	percents  = regexp.MustCompile(`^(0|[1-9][0-9]{0,2})(\.[0-9]{1,3})?%$`)
	fractions = regexp.MustCompile(`^0\.[0-9]{1,6}$`)
)

// percent reads a share as 5% or 0.1%, above none and up to all.
func percent(text string) (float64, *complaint) {
	if !percents.MatchString(text) {
		if point := pointed(text); percents.MatchString(point) {
			return 0, complain("%q is not a share", text).advise("decimals take a point: write " + point)
		}
		if bare := strings.TrimSpace(strings.TrimSuffix(pointed(text), "%")); percents.MatchString(bare + "%") {
			if part, err := strconv.ParseFloat(bare, 64); err == nil && !strings.HasSuffix(text, "%") && part > 0 && part <= 1 {
				return 0, complain("%q is not a share", text).advise(partOrPercent(bare, part))
			}
			return 0, complain("%q is not a share", text).advise("write " + bare + "%")
		}
		return 0, complain("%q is not a share", text).advise("write it in percent, as 5%")
	}
	p, _ := strconv.ParseFloat(text[:len(text)-1], 64) // digits alone
	if p < 0.1 || p > 100 {
		return 0, complain("%s is out of bounds", text).advise("from 0.1% to 100%")
	}
	return p / 100, nil
}

// partOrPercent is what a number up to one may mean: 0.1 is a tenth to most, and 1 all or
// one percent.
func partOrPercent(bare string, part float64) string {
	right := "write " + strconv.FormatFloat(math.Round(part*1e7)/1e5, 'f', -1, 64) + "%"
	if part >= 0.1 {
		right += " or " + bare + "%"
	}
	return right
}

const (
	leastSure = 0.5
	mostSure  = 0.999999
)

// certainty reads how sure something must be: never quite.
func certainty(text string) (float64, *complaint) {
	right := fmt.Sprintf("from %v to %v, as 0.999", leastSure, mostSure)
	if !fractions.MatchString(text) {
		if point := pointed(text); fractions.MatchString(point) {
			return 0, complain("%q is not a certainty", text).advise("decimals take a point: write " + point)
		}
		return 0, complain("%q is not a certainty", text).advise("write one " + right)
	}
	c, _ := strconv.ParseFloat(text, 64) // digits alone
	if c < leastSure || c > mostSure {
		return 0, complain("%s is out of bounds", text).advise(right)
	}
	return c, nil
}

// pointed is a number with the point of our files for the comma of others.
func pointed(text string) string { return strings.Replace(text, ",", ".", 1) }

// atOnce reads a number of requests, or auto.
func atOnce(text string) (AtOnce, *complaint) {
	if text == "auto" {
		return AtOnce{}, nil
	}
	if !digits.MatchString(text) {
		return AtOnce{}, complain("%q is not a number of requests", text).advise("write auto, or a whole number as 64")
	}
	most, c := count(1, 100_000)(text)
	if c != nil {
		return AtOnce{}, c.advise("write auto, or a number " + c.right)
	}
	return AtOnce{Most: most}, nil
}
