//go:build !onlystandard

package origin

// onlyStandard has standard clients carry all requests, so that the tests of what is
// passed on can be run on them as well: go test -tags onlystandard.
const onlyStandard = false
