package sessiond

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// link is one process of the daemon. Messages go through a queue to its stdin in order, and its
// messages are handled one at a time.
type link struct {
	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *textproto.Reader
	stderr  *tail
	queue   *backlog[[]byte]
	life    context.Context    // ends when no more messages will be sent
	end     context.CancelFunc // closes stdin after the messages in the queue
	done    chan struct{}      // closed when the process has ended and all its messages were handled

	// Guarded by Client.mu.
	down bool
}

// message is a message of the daemon.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

func startLink(options Options, hear func(*link, message), ended func(*link)) (*link, error) {
	l := &link{
		process: exec.Command(options.Path, options.Args...),
		stderr:  &tail{to: options.Stderr},
		queue:   newBacklog[[]byte](0), // callers wait for their answers, which limits it
		done:    make(chan struct{}),
	}
	l.life, l.end = context.WithCancel(context.Background())
	l.process.Env = options.Env
	if options.Shared {
		l.process.Env = append(l.process.Environ(), "SESSIOND_SHARED=1")
	}
	l.process.Dir = options.Dir
	l.process.Stderr = l.stderr
	detach(l.process)
	stdin, inErr := l.process.StdinPipe()
	stdout, outErr := l.process.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, fmt.Errorf("sessiond: %w", err)
	}
	if err := l.process.Start(); err != nil {
		return nil, fmt.Errorf("sessiond: cannot start the daemon: %w", missing(options, err))
	}
	l.stdin, l.stdout = stdin, textproto.NewReader(bufio.NewReader(stdout))
	go l.write()
	go l.read(hear, ended)
	return l, nil
}

// missing adds to an error of the system what does not exist.
func missing(options Options, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(cmp.Or(options.Dir, ".")); err != nil {
		return fmt.Errorf("no directory %s: %w", options.Dir, err)
	}
	if _, err := os.Stat(options.Path); err == nil {
		return fmt.Errorf("the interpreter of %s, which its first line names, is missing: %w",
			options.Path, fs.ErrNotExist)
	}
	return err
}

// daemonPath returns the absolute path of the daemon, which stays valid in another working directory.
func daemonPath(path string) (string, error) {
	name := cmp.Or(path, os.Getenv("SESSIOND"), "sessiond")
	program, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("sessiond: no program %q: install sessiond"+
			" (`pip install .` in a checkout of it) so that it is on PATH, or name the program in the"+
			" environment variable SESSIOND or in Options.Path: %w", name, err)
	}
	return filepath.Abs(program)
}

func (l *link) send(body []byte) { l.queue.add(body) }

func (l *link) kill() { _ = l.process.Process.Kill() }

func (l *link) write() {
	defer l.stdin.Close()
	for {
		body, some := l.queue.next(l.life)
		if !some || writeFrame(l.stdin, body) != nil { // read handles the end of the process
			return
		}
	}
}

func (l *link) read(hear func(*link, message), ended func(*link)) {
	for {
		body, err := readFrame(l.stdout)
		if err != nil {
			break
		}
		m, err := decode[message](body)
		if err != nil {
			break
		}
		hear(l, m)
	}
	l.end()
	l.kill() // it has ended, or sent invalid data
	_ = l.process.Wait()
	ended(l)
	close(l.done)
}

// crashed returns the error for requests that cannot be repeated.
func (l *link) crashed() error {
	if said := l.stderr.String(); said != "" {
		return fmt.Errorf("%w; its log: %s", ErrInterrupted, said)
	}
	return ErrInterrupted
}

// quoted returns a text as a JSON string; every text has one.
func quoted(text string) []byte {
	quoted, _ := encode(text)
	return quoted
}

// envelope returns a request, or a notification if the id is 0.
func envelope(id int64, method string, params json.RawMessage) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, `{"jsonrpc":"2.0","method":%s`, quoted(method))
	if id != 0 {
		fmt.Fprintf(&text, `,"id":%d`, id)
	}
	if len(params) > 0 {
		fmt.Fprintf(&text, `,"params":%s`, params)
	}
	text.WriteByte('}')
	return text.Bytes()
}

// tail keeps the end of the log of the daemon, for error messages.
type tail struct {
	mu   sync.Mutex
	to   io.Writer
	last []byte
}

const tailSize = 2048

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-tailSize):]
	if t.to != nil {
		return t.to.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.last))
}
