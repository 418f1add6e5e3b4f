// Package podsieve asks podsieve from Go, without a process and without cgo: the module of the npm package runs in wazero.
//
// In: podsieve.wasm, questions and inputs as `podsieve ask --list` names them. Out: answers as JSON.
package podsieve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Engine answers question after question; policies stay loaded between two of them for as long as their texts are the same.
type Engine struct {
	mutex     sync.Mutex
	runtime   wazero.Runtime
	questions io.WriteCloser
	answers   *bufio.Reader
	ended     chan struct{}
}

// New compiles the module, which takes some seconds (a wazero.CompilationCache with a folder keeps what it makes), and starts it. It has
// no files, no network and no environment.
func New(ctx context.Context, module []byte) (*Engine, error) {
	runtime := wazero.NewRuntime(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, errors.Join(err, runtime.Close(ctx))
	}
	compiled, err := runtime.CompileModule(ctx, module)
	if err != nil {
		return nil, errors.Join(err, runtime.Close(ctx))
	}
	input, questions := io.Pipe()
	answers, output := io.Pipe()
	config := wazero.NewModuleConfig().
		WithArgs("podsieve", "ask", "--lines").
		WithStdin(input).WithStdout(output).WithStderr(os.Stderr).
		WithSysWalltime().WithSysNanotime()
	engine := &Engine{runtime: runtime, questions: questions, answers: bufio.NewReader(answers), ended: make(chan struct{})}
	go func() {
		defer close(engine.ended)
		// The module runs until its questions end; what it ends with is said by the pipe, also where that is an error.
		_, err := runtime.InstantiateModule(ctx, compiled, config)
		output.CloseWithError(fmt.Errorf("podsieve has ended: %w", err))
		input.Close()
	}()
	return engine, nil
}

// Ask gives the answer to one question.
func (engine *Engine) Ask(question string, input any) (json.RawMessage, error) {
	line, err := json.Marshal(map[string]any{"question": question, "input": input})
	if err != nil {
		return nil, err
	}
	engine.mutex.Lock()
	defer engine.mutex.Unlock()
	if _, err := engine.questions.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	line, err = engine.answers.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var said struct {
		Answer json.RawMessage
		Error  string
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, err
	}
	if said.Error != "" {
		return nil, errors.New(said.Error)
	}
	return said.Answer, nil
}

// Close ends the module and frees its memory.
func (engine *Engine) Close(ctx context.Context) error {
	err := engine.questions.Close()
	<-engine.ended
	return errors.Join(err, engine.runtime.Close(ctx))
}
