package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/explain"
	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/documents/sniff"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// readList is what serve starts for each document.
type readList struct {
	Args []string `arg:"" optional:""`
}

func (c readList) Run(ctx context.Context, p program) error {
	return reader.Child(ctx, c.Args, os.Stdin, p.stdout)
}

type preparePDFium struct {
	Directory string `arg:"" help:"Where it is compiled."`
}

func (c preparePDFium) Run() error {
	signal.Reset() // the compiler has no context
	return tables.PreparePDF(c.Directory)
}

// explainList reads a packing list and writes how it was understood.
type explainList struct {
	JSON bool   `help:"Write it for programs."`
	File string `arg:"" help:"The packing list."`
}

func (c explainList) Run(ctx context.Context, p program) error {
	signal.Reset() // reading a PDF may compile first
	name := c.File
	file, err := os.Open(name) //nolint:gosec // G304: the operator's own file
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	of, err := sniff.File(file, info.Size(), name)
	if err != nil {
		return err
	}
	if of.Refused != "" {
		return fmt.Errorf("%s: %s", name, of.Refused)
	}
	e, err := explain.Of(packinglist.Read(ctx, file, packinglist.Options{Kind: tables.Kind(of.Kind), Size: info.Size()}))
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(p.stdout).Encode(e)
	} else {
		err = e.Write(p.stdout)
	}
	if err == nil && e.Refused != "" {
		err = fmt.Errorf("%s: the packing list was refused", name)
	}
	return err
}
