package configs

import _ "embed"

// ExampleOperator is an operator's file with every key, its unit and default.
//
//go:embed waitroom.example.yaml
var ExampleOperator []byte

// ExampleSale is a sale file with every key.
//
//go:embed sale.example.yaml
var ExampleSale []byte

// ExampleRoom is the file of a room with every key.
//
//go:embed room.example.yaml
var ExampleRoom []byte
