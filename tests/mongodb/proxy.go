package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/FerretDB/wire/wirebson"
)

const (
	headerSize = 16
	// The protocol's own bound.
	maxMessageSize = 48_000_000
	opMsg          = 2013
	// A flag of OP_MSG: the client expects no answer.
	moreToCome = 1 << 1
)

// A message of the wire protocol, with its header.
type message []byte

// readMessage reads the next message.
func readMessage(r io.Reader) (message, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(header[:])
	if size < headerSize || size > maxMessageSize {
		return nil, errors.New("a message of an impossible size")
	}
	m := make(message, size)
	copy(m, header[:])
	_, err := io.ReadFull(r, m[headerSize:])
	return m, err
}

func (m message) isMsg() bool {
	return binary.LittleEndian.Uint32(m[12:]) == opMsg && len(m) > headerSize+4
}

// hasAnswer tells whether the server answers the message.
func (m message) hasAnswer() bool {
	return !m.isMsg() || binary.LittleEndian.Uint32(m[headerSize:])&moreToCome == 0
}

// database names the database of a command; empty of the handshake.
func (m message) database() string {
	// The command is the first section, of kind 0, as drivers send it.
	if !m.isMsg() || m[headerSize+4] != 0 {
		return ""
	}
	body := m[headerSize+5:]
	size, err := wirebson.FindRaw(body)
	if err != nil {
		return ""
	}
	command, err := wirebson.RawDocument(body[:size]).Decode()
	if err != nil {
		return ""
	}
	name, _ := command.Get("$db").(string)
	return name
}

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

// pass carries the messages of a client to the server, one of a database at a time, and the answers back.
func pass(client net.Conn, address string, turns *turns) error {
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
		answer, err := exchange(server, request, turns.of(request.database()))
		if err != nil {
			return err
		}
		if _, err := client.Write(answer); err != nil {
			return err
		}
	}
}

// exchange sends a message to the server and waits for the answer, if it has one.
func exchange(server net.Conn, request message, turn *sync.Mutex) (message, error) {
	turn.Lock()
	defer turn.Unlock()
	if _, err := server.Write(request); err != nil || !request.hasAnswer() {
		return nil, err
	}
	return readMessage(server)
}
