package main

import (
	"errors"
	"slices"
	"sync"

	"github.com/FerretDB/wire/wirebson"
)

// failPoint is MongoDB's fail point `failCommand`: the next commands of these names fail.
// With `afterCommand`, which MongoDB does not have, they are carried out before their answer is lost.
type failPoint struct {
	mutex sync.Mutex
	times int32
	failure
}

// A failure of a command.
type failure struct {
	commands []string
	code     int32
	labels   []string
	closes   bool
	after    bool
}

// configure sets what fails from now on.
func (f *failPoint) configure(request message, body *wirebson.Document) (message, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.times, f.failure = 0, failure{}
	if mode, err := decoded(body.Get("mode")); err == nil {
		f.times, _ = mode.Get("times").(int32)
	}
	if data, err := decoded(body.Get("data")); err == nil {
		f.commands, f.labels = texts(data.Get("failCommands")), texts(data.Get("errorLabels"))
		f.code, _ = data.Get("errorCode").(int32)
		f.closes, f.after = data.Get("closeConnection") == true, data.Get("afterCommand") == true
	}
	return request.answer("ok", float64(1))
}

// next returns the failure of a command, if it is to fail, and whether it is carried out before.
func (f *failPoint) next(name string) (*failure, bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.times == 0 || !slices.Contains(f.commands, name) {
		return nil, false
	}
	f.times--
	failure := f.failure
	return &failure, failure.after
}

// answer returns what the client reads instead of an answer.
func (f *failure) answer(request message) (message, error) {
	if f.closes {
		return nil, errors.New("a fail point closes the connection")
	}
	return request.refusal(f.code, "FailPoint", f.labels...)
}

func texts(value any) []string {
	array, ok := value.(wirebson.AnyArray)
	if !ok {
		return nil
	}
	decoded, err := array.Decode()
	if err != nil {
		return nil
	}
	texts := make([]string, decoded.Len())
	for i := range texts {
		texts[i] = text(decoded.Get(i))
	}
	return texts
}
