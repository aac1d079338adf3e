//go:build unix

package sessiond

import (
	"os/exec"
	"syscall"
)

// detach prevents Ctrl-C in a terminal from ending the daemon before the program closes it.
func detach(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
