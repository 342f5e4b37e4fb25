// Command mongodb-server speaks MongoDB's wire protocol for tests: FerretDB 1.x over SQLite.
//
//	mongodb-server 127.0.0.1:27017 /an/empty/directory [transactions]
//
// FerretDB 1.x loses updates that meet in one database, so a proxy in front of it passes on one command of a database
// at a time. What was acknowledged survives a SIGKILL of this process. With `transactions`, it says that it is a sharded
// cluster, and plays MongoDB's transactions and the fail point `failCommand`.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	log.SetFlags(0)
	hasTransactions := len(os.Args) == 4 && os.Args[3] == "transactions"
	if len(os.Args) != 3 && !hasTransactions {
		log.Fatal("usage: mongodb-server ADDRESS DIRECTORY [transactions]")
	}
	if err := run(os.Args[1], os.Args[2], hasTransactions); err != nil {
		log.Fatal(err)
	}
}

// run serves on an address until SIGINT or SIGTERM.
func run(address, directory string, hasTransactions bool) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	// A crash of the process must lose nothing; one of the machine may.
	storage := url.URL{Scheme: "file", OmitHost: true, Path: directory + "/", RawQuery: "_pragma=synchronous(off)"}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: storage.String(),
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go accept(listener, server, hasTransactions)
	return server.Run(ctx)
}

// accept passes each connection on to the server.
func accept(listener net.Listener, server *ferretdb.FerretDB, hasTransactions bool) {
	// The address is known as soon as the server runs.
	uri, err := url.Parse(server.MongoDBURI())
	if err != nil {
		log.Fatal(err)
	}
	turns := newTurns()
	var transactions *transactions
	if hasTransactions {
		transactions = newTransactions(uri.Host)
	}
	for {
		client, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			if err := pass(client, uri.Host, turns, transactions); err != nil && !errors.Is(err, io.EOF) {
				slog.Debug("a connection ended", "error", err)
			}
		}()
	}
}
