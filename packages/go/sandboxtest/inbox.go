package sandboxtest

import "net/url"

// Inbox receives webhooks within the sandbox, for code that has no receiver.
type Inbox struct {
	// URL is what to set as the webhook URL.
	URL string

	caller
	path string
}

// Inbox returns the inbox with a name.
func (s *Sandbox) Inbox(name string) *Inbox {
	path := "/inbox/" + url.PathEscape(name)
	return &Inbox{s.URL + "/_sandbox" + path, s.caller, path}
}

// Messages returns the webhooks that were received, oldest first.
func (i *Inbox) Messages() []InboxMessage {
	i.tb.Helper()
	var page InboxPage
	i.must("GET", i.path, nil, &page)
	return page.Data
}

// Respond sets the statuses of the next responses; the last one repeats.
func (i *Inbox) Respond(statuses ...int) {
	i.tb.Helper()
	responses := []Params{}
	for _, status := range statuses {
		responses = append(responses, Params{"status": status})
	}
	i.must("PUT", i.path, Params{"responses": responses}, nil)
}

// Clear deletes the messages and the responses.
func (i *Inbox) Clear() {
	i.tb.Helper()
	i.must("DELETE", i.path, nil, nil)
}
