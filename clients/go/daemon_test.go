package sessiond

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// setDaemon sets the daemon of all tests: the program in the environment variable SESSIOND, else the one
// of the repository, else the one on PATH. Sessions of tests do not get into the user's cache of the
// catalogue.
func setDaemon() error {
	if os.Getenv("SESSIOND") == "" {
		if ours, err := filepath.Abs("../../.venv/bin/sessiond"); err == nil && fileExists(ours) {
			os.Setenv("SESSIOND", ours)
		}
	}
	os.Setenv("SESSIOND_NO_CATALOG_CACHE", "1")
	if _, err := daemonPath(""); err != nil {
		return errors.New("the tests need sessiond: run `make install` in the repository, or set SESSIOND")
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// changing returns options for a daemon that reports a change right behind each answer to a method; see
// proxy.py.
func changing(t *testing.T, method string) Options {
	t.Helper()
	real, err := daemonPath("")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	proxy := "../../tests/two_clients/proxy.py"
	return Options{Path: "python3", Args: []string{proxy, log, "-", method, "change", "0", "--", real}}
}

// started starts a daemon whose agent directory is empty.
func started(t *testing.T, options Options) *Client {
	t.Helper()
	options.Args = append(options.Args, "--agent-dir", filepath.Join(t.TempDir(), "agent"))
	client, err := Start(soon(t), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func soon(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(stop)
	return ctx
}

// stored writes a session file with the entries u1 and a1.
func stored(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	lines := `{"type":"session","version":3,"id":"stored","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2025-06-01T10:00:01.000Z","message":{"role":"user","content":"hello"}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2025-06-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func said(text string) AppendMessageParams {
	return AppendMessageParams{Message: UserText(text)}
}

// socketDirectory returns a directory for the socket of a shared daemon, whose path must be short.
func socketDirectory(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("/tmp", "sd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	return directory
}

func TestClientsShareADaemonWhereTheyAskForIt(t *testing.T) {
	runtime := socketDirectory(t)
	status := func(shared bool) *StatusResult {
		env := append(os.Environ(), "XDG_RUNTIME_DIR="+runtime, "SESSIOND_IDLE_EXIT=0.1")
		result, err := started(t, Options{Shared: shared, Env: env}).DaemonStatus(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	one, two, alone := status(true), status(true), status(false)
	if one.Pid != two.Pid || !one.Shared || !two.Shared {
		t.Errorf("not shared: %+v, %+v", one, two)
	}
	if alone.Pid == one.Pid || alone.Shared {
		t.Errorf("shared without having asked for it: %+v", alone)
	}
}

func TestARelativePathIsRelativeToThisProcess(t *testing.T) {
	real, err := daemonPath("")
	if err != nil {
		t.Fatal(err)
	}
	here := t.TempDir()
	if err := os.Symlink(real, filepath.Join(here, "daemon")); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Getwd()
	if err := os.Chdir(here); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chdir(before) }()
	started(t, Options{Path: "./daemon", Dir: t.TempDir()})
}

func TestADaemonOfAnotherVersionIsRefusedByOneError(t *testing.T) {
	for _, mode := range []string{"refuses", "ignores"} {
		options := Options{Path: "python3", Args: []string{"../../tests/two_clients/other_version.py", mode}}
		_, err := Start(soon(t), options)
		var other *UnsupportedVersionError
		if !errors.As(err, &other) || len(other.Supported) != 1 || other.Supported[0] != "2" {
			t.Errorf("%s: got %v", mode, err)
		}
	}
}

func TestADaemonThatCannotBeStartedSaysWhatIsMissing(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/no/such/python\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for missing, options := range map[string]Options{
		"directory /no/such":       {Dir: "/no/such"},
		"interpreter of " + script: {Path: script},
	} {
		_, err := Start(soon(t), options)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
			t.Errorf("got %v", err)
		}
	}
}
