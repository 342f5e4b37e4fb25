package main

import (
	"net"
	"sync"
)

// turns has a lock for each database.
type turns struct {
	mutex sync.Mutex
	locks map[string]*sync.Mutex
}

func newTurns() *turns {
	return &turns{locks: map[string]*sync.Mutex{}}
}

func (t *turns) of(database string) *sync.Mutex {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	lock, ok := t.locks[database]
	if !ok {
		lock = &sync.Mutex{}
		t.locks[database] = lock
	}
	return lock
}

// pass carries the messages of a client to the server, one of a database at a time, and the answers back. With
// transactions, those of their commands are the proxy's own.
func pass(client net.Conn, address string, turns *turns, transactions *transactions) error {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer server.Close()
	for {
		request, err := readMessage(client)
		if err != nil {
			return err
		}
		var answer message
		if transactions != nil {
			answer, err = transactions.exchange(server, request, turns)
		} else {
			answer, err = inTurn(server, request, turns.of(request.database()))
		}
		if err != nil {
			return err
		}
		if _, err := client.Write(answer); err != nil {
			return err
		}
	}
}

func inTurn(server net.Conn, request message, turn *sync.Mutex) (message, error) {
	turn.Lock()
	defer turn.Unlock()
	return exchange(server, request)
}

// exchange sends a message to the server and waits for the answer, if it has one.
func exchange(server net.Conn, request message) (message, error) {
	if _, err := server.Write(request); err != nil || !request.hasAnswer() {
		return nil, err
	}
	return readMessage(server)
}
