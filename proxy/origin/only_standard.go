//go:build onlystandard

package origin

const onlyStandard = true
