package sandboxtest

import (
	"context"
	"fmt"
	"strings"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
)

// mostRows of each list, and mostCharacters of each body, are in a report.
const mostRows, mostCharacters = 20, 300

// report describes the calls and the webhooks of a failed test. It must not end
// the test, whose failure is what counts.
func (s *Sandbox) report() string {
	var calls RequestPage
	var events WebhookPage
	err := s.Control(context.Background(), "GET", fmt.Sprint("/requests?limit=", mostRows), nil, &calls)
	if err == nil {
		err = s.Control(context.Background(), "GET", fmt.Sprint("/webhooks?limit=", mostRows), nil, &events)
	}
	if err != nil {
		return fmt.Sprint("payments-sandbox: the request log cannot be read: ", err)
	}
	lines := []string{"payments-sandbox: request log"}
	for i := len(calls.Data) - 1; i >= 0; i-- {
		lines = append(lines, s.describeCall(calls.Data[i])...)
	}
	lines = append(lines, "payments-sandbox: webhooks")
	for i := len(events.Data) - 1; i >= 0; i-- {
		lines = append(lines, s.describeEvent(events.Data[i])...)
	}
	return strings.Join(lines, "\n")
}

func (s *Sandbox) describeCall(call LoggedCall) []string {
	path := call.Path
	if at := strings.Index(path, "/v2"); at > 0 {
		path = path[at:]
	}
	words := []any{" ", call.Method, path, call.Status}
	if call.ErrorCode != nil {
		words = append(words, *call.ErrorCode)
	}
	lines := []string{strings.TrimSpace(fmt.Sprintln(append(words, call.RequestID)...))}
	var details LoggedCallDetails
	isRejected := call.Status == 0 || call.Status >= 400
	if isRejected && s.Control(context.Background(), "GET", "/requests/"+call.RequestID, nil, &details) == nil {
		lines = append(lines, shortened("request", details.RequestBody), shortened("response", details.ResponseBody))
	}
	for _, warning := range call.Warnings {
		lines = append(lines, "  warning: "+warning.Message)
	}
	return lines
}

func (s *Sandbox) describeEvent(event WebhookSummary) []string {
	lines := []string{fmt.Sprintf("%s %s %s %s", event.Event, event.TransactionID, event.Status, platform.ValueOf(event.URL))}
	var webhook Webhook
	if s.Control(context.Background(), "GET", "/webhooks/"+event.ID, nil, &webhook) == nil {
		for _, one := range webhook.Attempts {
			answer := fmt.Sprint(platform.ValueOf(one.Status), " ", platform.ValueOf(one.ResponseBody))
			lines = append(lines, fmt.Sprintf("  attempt %d: %s %s", one.Number, one.Outcome, strings.TrimPrefix(answer, "0 ")))
		}
	}
	return lines
}

func shortened(what string, body *string) string {
	text := []rune(platform.ValueOf(body))
	if len(text) > mostCharacters {
		text = append(text[:mostCharacters], '…')
	}
	return fmt.Sprintf("  %s: %s", what, string(text))
}
