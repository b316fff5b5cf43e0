// Package sandboxtest gives each test a payments sandbox of its own: a
// workspace with accounts, a frozen clock, webhooks and scenarios.
//
// It uses the sandbox that PAYMENTS_SANDBOX_URL names. If none is named, it
// starts one: with the command in PAYMENTS_SANDBOX_COMMAND, with the program
// payments-sandbox if it is on PATH, or with npx if that version is published.
package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
)

// Params are JSON fields, such as the parameters of an action.
type Params map[string]any

// shared is the sandbox of all tests of a process. It is nil without Main.
var shared *server

// Main runs the tests of a package with one sandbox, which it stops at the end.
// Call it from TestMain. Without it, each call of New starts a sandbox.
func Main(m *testing.M) int {
	var err error
	if shared, err = findServer(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err = shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "the sandbox ended with an error:", err)
	}
	return code
}

// Sandbox is the workspace of one test. Its methods end the test when a request
// fails, so call them from the goroutine of the test.
type Sandbox struct {
	// URL is the base URL for the code under test.
	URL string
	// Accounts are the credentials of the accounts merchant and customer.
	Accounts map[string]platform.Credential
	// Client sends requests of the account merchant.
	Client *platform.Client
	// Requests is the request log of the platform API.
	Requests *RequestCalls
	// Chaos injects random faults.
	Chaos *ChaosCalls

	caller
	clients map[string]*platform.Client
}

// caller sends requests of the control API, which end the test when they fail.
type caller struct {
	tb  testing.TB
	api controlAPI
}

func (c caller) call(method, path string, query, body, into any) {
	c.tb.Helper()
	if query != nil {
		text, err := platform.QueryOf(query)
		if err != nil {
			c.tb.Fatal(err)
		}
		separator := "?"
		if strings.Contains(path, separator) {
			separator = "&"
		}
		path += separator + text
	}
	if err := c.api.send(context.Background(), method, path, body, into); err != nil {
		c.tb.Fatal(err)
	}
}

func (c caller) must(method, path string, body, into any) {
	c.tb.Helper()
	c.call(method, path, nil, body, into)
}

// RequestCalls reads the request log, and asserts on it.
type RequestCalls struct{ caller }

// Expect returns the number of matching calls. It ends the test unless there
// are call.Times of them, or at least one if that is nil.
func (s *RequestCalls) Expect(call ExpectedCall) int {
	s.tb.Helper()
	if call.Times == nil {
		if found := s.Verify(call).Matched; found > 0 {
			return found
		}
		call.Times = platform.Of(1)
	}
	return s.Verify(call).Matched
}

// Unexpected returns the calls that were rejected with a 4xx, newest first.
func (s *RequestCalls) Unexpected() (rejected []LoggedCall) {
	s.tb.Helper()
	for _, call := range s.List(RequestFilter{}) {
		if call.Status/100 == 4 {
			rejected = append(rejected, call)
		}
	}
	return rejected
}

// Warnings returns the calls that are probably mistakes, newest first.
func (s *RequestCalls) Warnings() []LoggedCall {
	s.tb.Helper()
	return s.List(RequestFilter{Warnings: "true"})
}

// ChaosCalls sets random faults, which are the same for the same seed.
type ChaosCalls struct{ caller }

// Preset injects the faults of a preset: gentle, rough or off.
func (s *ChaosCalls) Preset(name string) *Chaos {
	s.tb.Helper()
	faults, isPreset := chaosPresets[name]
	if !isPreset {
		s.tb.Fatalf("there is no preset %q of faults; use gentle, rough or off", name)
	}
	result := new(Chaos)
	s.must("PUT", "/chaos", faults, result)
	return result
}

// New creates a workspace with a frozen clock. After the test it deletes the
// workspace, and logs the newest requests if the test failed.
func New(tb testing.TB) *Sandbox {
	tb.Helper()
	server := shared
	if server == nil {
		var err error
		if server, err = findServer(); err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { server.stop() })
	}
	name := fmt.Sprintf("go-%d-%d", os.Getpid(), time.Now().UnixNano())
	var workspace Workspace
	if err := server.send(context.Background(), "POST", "/workspaces", Params{"name": name}, &workspace); err != nil {
		tb.Fatalf("no workspace was created at %s: %v", server.url, err)
	}
	caller := caller{tb, controlAPI{workspace.BaseURL, server.adminToken}}
	s := &Sandbox{
		URL:      workspace.BaseURL,
		Accounts: map[string]platform.Credential{},
		Requests: &RequestCalls{caller},
		Chaos:    &ChaosCalls{caller},
		caller:   caller,
		clients:  map[string]*platform.Client{},
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log(s.report())
		}
		if err := server.send(context.Background(), "DELETE", "/workspaces/"+name, nil, nil); err != nil {
			tb.Errorf("the workspace %s was not deleted: %v", name, err)
		}
	})
	for _, account := range workspace.Accounts {
		s.Accounts[account.Username] = account.Credentials[0]
	}
	s.Client = s.ClientOf("merchant")
	s.must("PUT", "/clock", Params{"mode": "manual"}, nil)
	return s
}

// Control sends a request to the control API, such as "GET", "/ledger", and
// decodes the response into into unless that is nil. A body that is a string is
// YAML. The error is a *platform.Error if the sandbox rejects the request.
func (s *Sandbox) Control(ctx context.Context, method, path string, body, into any) error {
	return s.api.send(ctx, method, path, body, into)
}

// ClientOf returns the client of an account. It fetches one token and reuses it.
func (s *Sandbox) ClientOf(username string) *platform.Client {
	s.tb.Helper()
	if _, isKnown := s.Accounts[username]; !isKnown {
		s.Accounts[username] = s.Account(username).Credentials[0]
	}
	if s.clients[username] == nil {
		s.clients[username] = platform.NewClient(s.URL, s.Accounts[username])
	}
	return s.clients[username]
}

// Reset returns to the state right after New: the clock is frozen.
func (s *Sandbox) Reset() {
	s.tb.Helper()
	s.must("POST", "/reset", nil, nil)
	s.must("PUT", "/clock", Params{"mode": "manual"}, nil)
}

// Trigger performs an action on the object with an id or external_id. If the id
// is empty, it takes the newest object that allows the action.
func (s *Sandbox) Trigger(action Action, id string, params Params) *Triggered {
	s.tb.Helper()
	body := Params{"action": action}
	if id != "" {
		body["id"] = id
	}
	for name, value := range params {
		body[name] = value
	}
	result := new(Triggered)
	s.must("POST", "/trigger", body, result)
	return result
}

// Advance advances the clock, and returns when everything that is due has run,
// webhooks included.
func (s *Sandbox) Advance(by time.Duration) {
	s.tb.Helper()
	var result Advanced
	s.must("POST", "/clock/advance", Params{"by": fmt.Sprintf("%dms", by.Milliseconds())}, &result)
	if !result.Complete {
		s.tb.Fatalf("the clock did not advance by %s within 30 seconds: a receiver does not respond", by)
	}
}

// SetWebhookURL sets where the webhooks of the account merchant go.
func (s *Sandbox) SetWebhookURL(address string) {
	s.tb.Helper()
	s.must("PATCH", "/credentials/"+s.Accounts["merchant"].ClientID, Params{"postback_url": address}, nil)
}

// ArmScenario arms a scenario: it takes effect on matching requests of the code
// under test.
func (s *Sandbox) ArmScenario(name string) {
	s.tb.Helper()
	s.must("POST", "/scenarios/"+url.PathEscape(name)+"/arm", Params{}, nil)
}

// UploadScenario adds a scenario, as YAML or JSON, to the workspace.
func (s *Sandbox) UploadScenario(yaml string) {
	s.tb.Helper()
	s.must("POST", "/scenarios", yaml, nil)
}

// RunScenario runs a scenario with parameters, and advances the clock instead
// of waiting. It ends the test unless all steps pass.
func (s *Sandbox) RunScenario(name string, params Params) *Run {
	s.tb.Helper()
	body := Params{"fast_forward": true}
	if params != nil {
		body["params"] = params
	}
	run := new(Run)
	s.must("POST", "/scenarios/"+url.PathEscape(name)+"/run", body, run)
	if run.Status != "passed" {
		s.tb.Fatalf("the scenario %s %s: %+v", name, run.Status, run.Steps)
	}
	return run
}

// Decode decodes the data of the event into a type such as
// platform.CashinConfirmedData.
func (w *Webhook) Decode(into any) error {
	var event platform.Event
	if err := json.Unmarshal([]byte(w.Body), &event); err != nil {
		return err
	}
	return event.Decode(into)
}

// WaitForWebhook returns an event when the receiver has acknowledged it, or when
// no webhook URL is set. The filters are transaction_id, external_id, and timeout
// (default: 5s). It ends the test if there is no such event before the timeout,
// or if it cannot be delivered.
func (s *Sandbox) WaitForWebhook(name platform.EventName, filters Params) *Webhook {
	s.tb.Helper()
	query := url.Values{"event": {string(name)}, "status": {"settled"}}
	for filter, value := range filters {
		query.Set(filter, fmt.Sprint(value))
	}
	webhook := new(Webhook)
	if err := s.Control(context.Background(), "GET", "/webhooks/wait?"+query.Encode(), nil, webhook); err != nil {
		s.tb.Fatalf("waited for %s: %v\n%s", query.Encode(), err, s.eventList())
	}
	if webhook.Status == "failed" && webhook.URL != nil {
		s.tb.Fatalf("%s (%s) was not delivered to %s", name, webhook.ID, *webhook.URL)
	}
	return webhook
}

func (s *Sandbox) eventList() string {
	var list WebhookPage
	s.must("GET", "/webhooks?limit=20", nil, &list)
	text := fmt.Sprintf("events that occurred: %d", len(list.Data))
	for _, event := range list.Data {
		text += fmt.Sprintf("\n  %s (%s) of %s, external_id %q", event.Event, event.Status, event.TransactionID, platform.ValueOf(event.ExternalID))
	}
	return text
}
