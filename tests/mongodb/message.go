package main

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/FerretDB/wire/wirebson"
)

const (
	headerSize = 16
	// The protocol's own bound.
	maxMessageSize = 48_000_000
	opReply        = 1
	opMsg          = 2013
	// A flag of OP_MSG: the client expects no answer.
	moreToCome = 1 << 1
	// Beginning of an OP_REPLY's document.
	replySize = headerSize + 20
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

func (m message) code() uint32 {
	return binary.LittleEndian.Uint32(m[12:])
}

func (m message) isMsg() bool {
	return m.code() == opMsg && len(m) > headerSize+4
}

// hasAnswer tells whether the server answers the message.
func (m message) hasAnswer() bool {
	return !m.isMsg() || binary.LittleEndian.Uint32(m[headerSize:])&moreToCome == 0
}

// parts returns the command, and the sections after it; no command of the handshake.
func (m message) parts() (*wirebson.Document, []byte, error) {
	// The command is the first section, of kind 0, as drivers send it.
	if !m.isMsg() || m[headerSize+4] != 0 {
		return nil, nil, nil
	}
	body := m[headerSize+5:]
	size, err := wirebson.FindRaw(body)
	if err != nil {
		return nil, nil, err
	}
	command, err := wirebson.RawDocument(body[:size]).Decode()
	return command, body[size:], err
}

// database names the database of a command; empty of the handshake.
func (m message) database() string {
	command, _, err := m.parts()
	if err != nil || command == nil {
		return ""
	}
	return text(command.Get("$db"))
}

// with returns the message with another command and these sections after it.
func (m message) with(command *wirebson.Document, rest []byte) message {
	body, err := command.Encode()
	if err != nil {
		return m
	}
	return append(append(append(message{}, m[:headerSize+5]...), body...), rest...).sized()
}

// sized states the message's size in its header.
func (m message) sized() message {
	binary.LittleEndian.PutUint32(m, uint32(len(m)))
	return m
}

// answer returns an answer to the message, of these names and values.
func (m message) answer(pairs ...any) (message, error) {
	document, err := wirebson.NewDocument(pairs...)
	if err != nil {
		return nil, err
	}
	header := make(message, headerSize+5)
	copy(header[8:12], m[4:8])
	binary.LittleEndian.PutUint32(header[12:], opMsg)
	return header.with(document, nil), nil
}

// refusal returns an error as the answer to the message.
func (m message) refusal(code int32, name string, labels ...string) (message, error) {
	array := wirebson.MakeArray(len(labels))
	for _, label := range labels {
		array.Add(label)
	}
	return m.answer("ok", float64(0), "code", code, "codeName", name, "errmsg", name, "errorLabels", array)
}

// isRefusal tells whether an answer is an error.
func (m message) isRefusal() bool {
	body, _, err := m.parts()
	return err != nil || body == nil || body.Get("ok") != float64(1) || body.Get("writeErrors") != nil
}

// asCluster adds to the answer of a handshake that the server is one of a sharded cluster, which has transactions.
func asCluster(m message) message {
	begin := headerSize + 5
	switch {
	case m == nil:
		return nil
	case m.code() == opReply:
		begin = replySize
	case !m.isMsg():
		return m
	}
	document, err := wirebson.RawDocument(m[begin:]).Decode()
	if err != nil {
		return m
	}
	for _, pair := range []struct {
		name  string
		value any
	}{{"msg", "isdbgrid"}, {"logicalSessionTimeoutMinutes", int32(30)}} {
		if document.Get(pair.name) != nil {
			document.Remove(pair.name)
		}
		if err := document.Add(pair.name, pair.value); err != nil {
			return m
		}
	}
	body, err := document.Encode()
	if err != nil {
		return m
	}
	return append(append(message{}, m[:begin]...), body...).sized()
}
