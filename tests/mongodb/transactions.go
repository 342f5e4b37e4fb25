package main

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/FerretDB/wire/wirebson"
)

const (
	// A transaction that another one is in the way of waits this long, and is refused then.
	patience = 20 * time.Millisecond
	// A transaction that has not ended is undone after this time.
	lifetime = 10 * time.Second

	writeConflict     = 112
	noSuchTransaction = 251
	transient         = "TransientTransactionError"
)

// What a command has for its transaction, and the server does not know.
var transactional = []string{"autocommit", "lsid", "readConcern", "recoveryToken", "startTransaction", "txnNumber", "writeConcern"}

// transactions plays MongoDB's transactions in front of a server that has none. One transaction of a database runs at a
// time, another one meets a write conflict; the collections that it changes are read before, and written back when it is
// aborted. Commands outside wait for the collections that it has changed.
type transactions struct {
	address string
	mutex   sync.Mutex
	// By session.
	open map[string]*transaction
	// By database.
	holders map[string]*transaction
	// The number of each session's last committed transaction: a commit can be repeated.
	committed map[string]int64
	failPoint failPoint
}

// A transaction, from its first command on.
type transaction struct {
	session  string
	number   int64
	database string
	before   map[string][]wirebson.RawDocument
	ended    chan struct{}
}

func newTransactions(address string) *transactions {
	return &transactions{
		address:   address,
		open:      map[string]*transaction{},
		holders:   map[string]*transaction{},
		committed: map[string]int64{},
	}
}

// exchange answers a command, in its transaction if it has one.
func (t *transactions) exchange(server net.Conn, request message, turns *turns) (message, error) {
	body, rest, err := request.parts()
	if err != nil || body == nil {
		turn := turns.of("")
		turn.Lock()
		defer turn.Unlock()
		answer, err := exchange(server, request)
		return asCluster(answer), err
	}
	name := body.Command()
	if name == "configureFailPoint" {
		return t.failPoint.configure(request, body)
	}
	failure, after := t.failPoint.next(name)
	if failure != nil && !after {
		t.abandon(server, body, turns)
		return failure.answer(request)
	}
	answer, err := t.run(server, request, body, rest, turns)
	if failure != nil && err == nil {
		return failure.answer(request)
	}
	return answer, err
}

func (t *transactions) run(server net.Conn, request message, body *wirebson.Document, rest []byte, turns *turns) (message, error) {
	name, database := body.Command(), text(body.Get("$db"))
	isInside := body.Get("autocommit") == false
	session, number := sessionOf(body)
	starts := body.Get("startTransaction") == true
	for _, field := range transactional {
		if body.Get(field) != nil {
			body.Remove(field)
		}
	}
	switch {
	case name == "commitTransaction":
		return t.commit(request, session, number)
	case name == "abortTransaction":
		t.undo(server, t.current(session, number), turns)
		return request.answer("ok", float64(1))
	case !isInside:
		answer, err := t.outside(server, request.with(body, rest), database, text(body.Get(name)), turns)
		if name == "hello" || name == "isMaster" || name == "ismaster" {
			answer = asCluster(answer)
		}
		return answer, err
	case starts:
		if !t.begin(session, number, database, turns) {
			return request.refusal(writeConflict, "WriteConflict", transient)
		}
	}
	current := t.current(session, number)
	if current == nil {
		return request.refusal(noSuchTransaction, "NoSuchTransaction", transient)
	}
	turn := turns.of(database)
	turn.Lock()
	if err := t.keep(server, current, name, text(body.Get(name))); err != nil {
		turn.Unlock()
		return nil, err
	}
	answer, err := exchange(server, request.with(body, rest))
	turn.Unlock()
	// An error ends the transaction.
	if err != nil || answer.isRefusal() {
		t.undo(server, current, turns)
	}
	return answer, err
}

// outside carries out a command without a transaction: after the one that has changed its collection.
func (t *transactions) outside(server net.Conn, request message, database, collection string, turns *turns) (message, error) {
	turn := turns.of(database)
	for {
		turn.Lock()
		t.mutex.Lock()
		holder := t.holders[database]
		isChanged := false
		if holder != nil {
			_, isChanged = holder.before[collection]
		}
		t.mutex.Unlock()
		if !isChanged {
			defer turn.Unlock()
			return exchange(server, request)
		}
		turn.Unlock()
		<-holder.ended
	}
}

// begin makes the database the transaction's; false where another one has it.
func (t *transactions) begin(session string, number int64, database string, turns *turns) bool {
	begun := &transaction{session, number, database, map[string][]wirebson.RawDocument{}, make(chan struct{})}
	for end := time.Now().Add(patience); ; {
		t.mutex.Lock()
		holder := t.holders[database]
		if holder == nil {
			t.holders[database], t.open[session] = begun, begun
			t.mutex.Unlock()
			time.AfterFunc(lifetime, func() { t.expire(begun, turns) })
			return true
		}
		t.mutex.Unlock()
		select {
		case <-holder.ended:
		case <-time.After(time.Until(end)):
			return false
		}
	}
}

func (t *transactions) current(session string, number int64) *transaction {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if current := t.open[session]; current != nil && current.number == number {
		return current
	}
	return nil
}

// keep reads a collection before its first change. The caller has the database's turn.
func (t *transactions) keep(server net.Conn, current *transaction, name, collection string) error {
	switch name {
	case "insert", "update", "delete", "findAndModify":
	default:
		return nil
	}
	if _, isKept := current.before[collection]; isKept {
		return nil
	}
	find := wirebson.MustDocument(
		"find", collection, "filter", wirebson.MakeDocument(0), "singleBatch", true, "batchSize", int32(10_000_000), "$db", current.database)
	documents, err := found(server, find)
	if err != nil {
		return err
	}
	t.mutex.Lock()
	current.before[collection] = documents
	t.mutex.Unlock()
	return nil
}

func (t *transactions) commit(request message, session string, number int64) (message, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if current := t.open[session]; current != nil && current.number == number {
		t.committed[session] = number
		t.end(current)
	} else if last, ok := t.committed[session]; !ok || last != number {
		return request.refusal(noSuchTransaction, "NoSuchTransaction", transient)
	}
	return request.answer("ok", float64(1))
}

// abandon undoes the transaction of a command that fails before it is carried out. A commit can be repeated.
func (t *transactions) abandon(server net.Conn, body *wirebson.Document, turns *turns) {
	if body.Get("autocommit") == false && body.Command() != "commitTransaction" {
		session, number := sessionOf(body)
		t.undo(server, t.current(session, number), turns)
	}
}

// undo writes back what a transaction has changed.
func (t *transactions) undo(server net.Conn, current *transaction, turns *turns) {
	if current == nil {
		return
	}
	turn := turns.of(current.database)
	turn.Lock()
	defer turn.Unlock()
	for collection, documents := range current.before {
		all := wirebson.MustDocument("q", wirebson.MakeDocument(0), "limit", int32(0))
		send(server, wirebson.MustDocument("delete", collection, "deletes", wirebson.MustArray(all), "$db", current.database))
		for len(documents) > 0 {
			some := documents[:min(1000, len(documents))]
			documents = documents[len(some):]
			array := wirebson.MakeArray(len(some))
			for _, document := range some {
				array.Add(document)
			}
			send(server, wirebson.MustDocument("insert", collection, "documents", array, "$db", current.database))
		}
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.end(current)
}

// end lets others have the database. The caller has the mutex.
func (t *transactions) end(current *transaction) {
	if t.holders[current.database] == current {
		delete(t.holders, current.database)
		delete(t.open, current.session)
		close(current.ended)
	}
}

// expire undoes a transaction that has not ended.
func (t *transactions) expire(current *transaction, turns *turns) {
	if t.current(current.session, current.number) != current {
		return
	}
	if server, err := net.Dial("tcp", t.address); err == nil {
		defer server.Close()
		t.undo(server, current, turns)
	}
}

// found returns the documents of a find.
func found(server net.Conn, find *wirebson.Document) ([]wirebson.RawDocument, error) {
	answer, err := send(server, find)
	if err != nil {
		return nil, err
	}
	body, _, err := answer.parts()
	if err != nil || body == nil {
		return nil, errors.Join(errors.New("an answer without a document"), err)
	}
	cursor, err := decoded(body.Get("cursor"))
	if err != nil {
		return nil, err
	}
	array, ok := cursor.Get("firstBatch").(wirebson.AnyArray)
	if !ok {
		return nil, errors.New("a find without documents")
	}
	batch, err := array.Decode()
	if err != nil {
		return nil, err
	}
	documents := make([]wirebson.RawDocument, batch.Len())
	for i := range documents {
		document, ok := batch.Get(i).(wirebson.AnyDocument)
		if !ok {
			return nil, errors.New("a find of something else than documents")
		}
		if documents[i], err = document.Encode(); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// send sends a command of the proxy's own.
func send(server net.Conn, command *wirebson.Document) (message, error) {
	header := make(message, headerSize+4+1)
	binary.LittleEndian.PutUint32(header[12:], opMsg)
	return exchange(server, header.with(command, nil))
}

// sessionOf returns a command's session and the number of its transaction there.
func sessionOf(body *wirebson.Document) (string, int64) {
	number, _ := body.Get("txnNumber").(int64)
	session, err := decoded(body.Get("lsid"))
	if err != nil {
		return "", number
	}
	id, _ := session.Get("id").(wirebson.Binary)
	return string(id.B), number
}

func decoded(value any) (*wirebson.Document, error) {
	document, ok := value.(wirebson.AnyDocument)
	if !ok {
		return nil, errors.New("not a document")
	}
	return document.Decode()
}

func text(value any) string {
	text, _ := value.(string)
	return text
}
