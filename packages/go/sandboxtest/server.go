package sandboxtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
)

const (
	urlVariable     = "PAYMENTS_SANDBOX_URL"
	tokenVariable   = "PAYMENTS_SANDBOX_ADMIN_TOKEN"
	commandVariable = "PAYMENTS_SANDBOX_COMMAND"
)

// server is a sandbox that the environment names, or one that was started.
type server struct {
	controlAPI
	process *exec.Cmd
	input   io.Closer
}

func findServer() (*server, error) {
	if url := os.Getenv(urlVariable); url != "" {
		return &server{controlAPI: controlAPI{strings.TrimRight(url, "/"), os.Getenv(tokenVariable)}}, nil
	}
	endWithGo()
	s, err := startServer()
	if err != nil {
		err = fmt.Errorf("no sandbox was started: %w; set %s to a running one, or %s to the program", err, urlVariable, commandVariable)
	}
	return s, err
}

// endWithGo ends tests whose go test was killed: they would run until their timeout.
func endWithGo() {
	parent := os.Getppid()
	if strings.Contains(strings.Join(os.Args, " "), "-test.paniconexit0") { // Only go test sets it.
		go func() {
			for os.Getppid() == parent {
				time.Sleep(200 * time.Millisecond)
			}
			os.Exit(1)
		}()
	}
}

// startServer starts a sandbox that ends with its standard input, and so does
// not outlive a test process that crashes.
func startServer() (*server, error) {
	words := append(commandWords(), "exec", "--clock", "manual", "--", "sh", "-c", `echo "$`+urlVariable+`"; exec cat`)
	process := exec.Command(words[0], words[1:]...)
	process.Stderr = os.Stderr
	input, _ := process.StdinPipe() // Pipes of a process that has not started have no errors.
	output, _ := process.StdoutPipe()
	if err := process.Start(); err != nil {
		return nil, err
	}
	s := &server{controlAPI: controlAPI{adminToken: os.Getenv(tokenVariable)}, process: process, input: input}
	defer time.AfterFunc(2*time.Minute, func() { process.Process.Kill() }).Stop() // npx may download the package.
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s printed no URL: %v", strings.Join(words, " "), s.stop())
	}
	s.url = strings.TrimSpace(line)
	return s, nil
}

func commandWords() []string {
	command := os.Getenv(commandVariable)
	if _, err := os.Stat(command); err == nil {
		return []string{command}
	}
	if words := strings.Fields(command); len(words) > 0 {
		return words
	}
	if program, err := exec.LookPath("payments-sandbox"); err == nil {
		return []string{program}
	}
	if len(npx) > 0 {
		return npx
	}
	return []string{"payments-sandbox"}
}

// stop ends the sandbox if it was started here.
func (s *server) stop() error {
	if s.process == nil {
		return nil
	}
	s.input.Close()
	defer time.AfterFunc(10*time.Second, func() { s.process.Process.Kill() }).Stop()
	return s.process.Wait()
}

// controlAPI is the control API of a sandbox or of a workspace.
type controlAPI struct{ url, adminToken string }

// send decodes the response into into unless that is nil. A body that is a
// string is YAML.
func (c controlAPI) send(ctx context.Context, method, path string, body, into any) error {
	header := http.Header{"Content-Type": {"application/json"}}
	text, err := json.Marshal(body)
	if yaml, isYAML := body.(string); isYAML {
		header, text = http.Header{"Content-Type": {"application/yaml"}}, []byte(yaml)
	} else if body == nil {
		text = nil
	}
	if c.adminToken != "" {
		header.Set(platform.HeaderAdminToken, c.adminToken)
	}
	if err == nil {
		text, err = platform.Send(ctx, method, c.url+"/_sandbox"+path, header, text)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return err
}
