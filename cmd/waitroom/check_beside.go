package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/waitroom/waitroom/configs"
)

// besides looks at files of sales and rooms together, and with those that the operator's
// file beside or above them names: what collides is a fault, and what clashes a warning.
// Each file is right by itself.
func besides(files []string, now time.Time) (warnings []string, faults configs.Faults) {
	var sales, others []configs.Sale
	var rooms, otherRooms []configs.Room
	var plans []string
	for _, file := range files {
		if !configs.IsSaleFile(file) {
			continue
		}
		switch sale, room, err := configs.LoadSaleFile(file, now); {
		case err != nil:
			return nil, nil
		case room != nil:
			rooms = append(rooms, *room)
		default:
			sales = append(sales, *sale)
		}
		if plan := planOf(file, now); plan != "" && !slices.Contains(plans, plan) {
			plans = append(plans, plan)
		}
	}
	named := func(file string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return sameFile(f, file) })
	}
	for _, plan := range plans {
		theirs, their, _ := configs.LoadSales(plan, now) // what is wrong there is told of that file
		for _, s := range theirs {
			if !named(s.File) {
				others = append(others, s)
			}
		}
		for _, r := range their {
			if !named(r.File) {
				otherRooms = append(otherRooms, r)
			}
		}
	}
	for _, f := range configs.Collisions(append(slices.Clone(others), sales...), append(otherRooms, rooms...)) {
		if named(f.File) {
			faults = append(faults, f)
		}
	}
	for i := range sales {
		warnings = append(warnings, clashesWith(append(slices.Clone(others), sales[:i]...), &sales[i], now)...)
	}
	return warnings, faults
}

// planOf is the operator's file that names a sale's file, beside it or in the folder above;
// empty where there is none.
func planOf(file string, now time.Time) string {
	folder := filepath.Dir(file)
	for _, plan := range []string{filepath.Join(folder, "waitroom.yaml"), filepath.Join(folder, "..", "waitroom.yaml")} {
		if !isThere(plan) {
			continue
		}
		sales, rooms, _ := configs.LoadSales(plan, now)
		if slices.ContainsFunc(sales, func(s configs.Sale) bool { return sameFile(s.File, file) }) ||
			slices.ContainsFunc(rooms, func(r configs.Room) bool { return sameFile(r.File, file) }) {
			return plan
		}
	}
	return ""
}

func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}

// clashesWith are the clashes that a sale has with others: its own are part of its summary.
func clashesWith(others []configs.Sale, sale *configs.Sale, now time.Time) []string {
	until := sale.Over().AddDate(0, 1, 0)
	look := func(sales ...configs.Sale) []configs.Clash {
		return configs.Clashes(configs.Calendar(sales, now, until))
	}
	known := map[string]bool{}
	for _, c := range slices.Concat(look(others...), look(*sale)) {
		known[c.Says] = true
	}
	var all []string
	for _, c := range look(append(slices.Clone(others), *sale)...) {
		if !known[c.Says] {
			all = append(all, fmt.Sprintf("warning: %s\n", c.Says))
		}
	}
	return all
}
