//go:build tools

// Package temporal pins the Temporal program that `npm start` and the tests build, with every module in go.sum. The CLI alone
// brings a SQLite driver that stays interrupted for ever after one cancelled statement: see go.mod.
package temporal

import (
	_ "github.com/temporalio/cli/cmd/temporal"
	_ "modernc.org/sqlite"
)
