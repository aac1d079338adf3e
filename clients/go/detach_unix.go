//go:build unix

package sessiond

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C in a terminal from ending the daemon before the program has closed it.
func detach(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
