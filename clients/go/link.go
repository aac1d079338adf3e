package sessiond

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// link is one process of the daemon. Messages go through a queue to its stdin in order.
type link struct {
	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *textproto.Reader
	stderr  *tail
	queue   *queue[[]byte] // its end closes stdin
}

// message is a message of the daemon.
type message struct {
	ID     *int64
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

func startLink(options Options) (*link, error) {
	l := &link{
		process: exec.Command(options.Path, options.Args...),
		stderr:  &tail{to: options.Stderr},
		queue:   newQueue[[]byte](), // callers wait for their answers, which limits it
	}
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
		body, some := l.queue.next()
		if !some || writeFrame(l.stdin, body) != nil { // next notices the end of the process
			return
		}
	}
}

// next returns the next message of the daemon, or ErrInterrupted if it has ended or sent invalid data.
func (l *link) next() (m message, err error) {
	body, err := readFrame(l.stdout)
	if err != nil || json.Unmarshal(body, &m) != nil {
		return m, ErrInterrupted
	}
	return m, nil
}

// stop ends the process, if it is still there.
func (l *link) stop() {
	l.queue.end()
	l.kill()
	_ = l.process.Wait()
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
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s`, quoted(method))
	if id != 0 {
		text = fmt.Appendf(text, `,"id":%d`, id)
	}
	if params != nil {
		text = fmt.Appendf(text, `,"params":%s`, params)
	}
	return append(text, '}')
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

// writeFrame writes a message behind its length, as language servers do.
func writeFrame(to io.Writer, body []byte) error {
	_, err := fmt.Fprintf(to, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// readFrame reads a message that is written behind its length.
func readFrame(from *textproto.Reader) ([]byte, error) {
	header, err := from.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("sessiond: a message without its length: %w", err)
	}
	var body bytes.Buffer
	_, err = io.CopyN(&body, from.R, length)
	return body.Bytes(), err
}
