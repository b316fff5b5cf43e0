package sandboxtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
	"git.example/payments-sandbox/payments-sandbox/packages/go/sandboxtest"
)

const cashinPath = "/v2/transactions/cashin"

// endedBy runs code that ends a test, and returns the message.
func endedBy(t *testing.T, code func(box *sandboxtest.Sandbox)) string {
	t.Helper()
	ended := &failingTest{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		code(sandboxtest.New(ended))
	}()
	<-done
	return ended.message
}

func expectParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %s", text, part)
		}
	}
}

// rejectedCharge creates a charge below the minimum, without an external_id.
func rejectedCharge(t *testing.T, box *sandboxtest.Sandbox) {
	t.Helper()
	if _, err := box.Client.Cashin(ctx, platform.CashinRequest{Amount: "0.50", Currency: "BRL"}); err == nil {
		t.Error("the charge was created")
	}
}

func expectsCalls(t *testing.T) {
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	body := sandboxtest.Params{"amount": 25, "external_id": "order-1"}
	box.Requests.Expect(sandboxtest.ExpectedCall{Method: "POST", Path: cashinPath, Body: body, Times: platform.Of(1)})
	if found := box.Requests.Expect(sandboxtest.ExpectedCall{Path: cashinPath}); found != 1 {
		t.Error(found)
	}
	// Zero is a number of calls; nil is none.
	box.Requests.Expect(sandboxtest.ExpectedCall{Path: "/v2/transactions/cashout", Times: platform.Of(0)})
	message := endedBy(t, func(box *sandboxtest.Sandbox) {
		charge(t, box, "order-1")
		box.Requests.Expect(sandboxtest.ExpectedCall{Path: cashinPath, Body: sandboxtest.Params{"amount": 26}})
	})
	expectParts(t, message, "received 0", "had body.amount 25 instead of 26")
}

func listsCalls(t *testing.T) {
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	rejectedCharge(t, box)
	rejected, warned := box.Requests.Unexpected(), box.Requests.Warnings()
	if len(rejected) != 1 || *rejected[0].ErrorCode != "BELOW_MIN_LIMIT" {
		t.Fatalf("%+v", rejected)
	}
	if len(warned) != 1 || warned[0].Warnings[0].Code != "no_external_id" {
		t.Errorf("%+v", warned)
	}
	details := box.Requests.Get(rejected[0].RequestID)
	if !strings.Contains(*details.RequestBody, `"amount":0.50`) || details.RequestHeaders["content-type"] != "application/json" {
		t.Errorf("%+v", details)
	}
	if replayed := box.Requests.Replay(details.RequestID); *replayed.ErrorCode != "BELOW_MIN_LIMIT" {
		t.Errorf("%+v", replayed)
	}
}

func restoresSnapshot(t *testing.T) {
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	box.Snapshot("one")
	charge(t, box, "order-2")
	count := func() int {
		t.Helper()
		list, err := box.Client.TransactionList(ctx, platform.TransactionListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Items)
	}
	if restored := box.Restore("one"); restored.Name != "one" || count() != 1 {
		t.Errorf("%+v", restored)
	}
	box.Reset()
	var clock sandboxtest.ClockReading
	if err := box.Control(ctx, "GET", "/clock", nil, &clock); err != nil || clock.Mode != "manual" || count() != 0 {
		t.Errorf("%+v %v", clock, err)
	}
}

func injectsFaults(t *testing.T) {
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	box.Chaos.Set(sandboxtest.ChaosFaults{Seed: "a", Error: "100%"})
	_, err := box.Client.Cashin(ctx, platform.CashinRequest{Amount: "25.00", Currency: "BRL"})
	if call := box.Requests.List(sandboxtest.RequestFilter{})[0]; err == nil || call.Chaos[0] != "error" {
		t.Errorf("%+v %v", call, err)
	}
	if gentle := box.Chaos.Preset("gentle"); gentle.Slow.By != "1s" {
		t.Errorf("%+v", gentle)
	}
	box.Chaos.Off()
	if none := box.Chaos.Read(); none.Error != nil {
		t.Errorf("%+v", none)
	}
	charge(t, box, "order-2")
}

func readsStatement(t *testing.T) {
	box := sandboxtest.New(t)
	created := charge(t, box, "order-1")
	if age := time.Since(created.CreatedAt); age < -time.Hour || age > time.Hour {
		t.Error(created.CreatedAt)
	}
	box.Trigger(sandboxtest.CashinPay, "order-1", nil)
	statement := box.Statement("merchant", sandboxtest.StatementFilter{Currency: "BRL"})
	last := statement.Entries[len(statement.Entries)-2:]
	if last[0].Type != "charge" || last[0].Amount != "25.00" || last[1].Amount != "-0.25" || last[1].Balance != statement.Closing {
		t.Errorf("%+v", statement)
	}
	ledger := box.Ledger()
	balance := box.Account("merchant").Balances.BRL
	if !ledger.Balanced || !balance.Available.Equal(statement.Closing) {
		t.Errorf("%+v %+v", ledger, balance)
	}
}

func repliesToDispute(t *testing.T) {
	box := sandboxtest.New(t)
	opened := box.Trigger(sandboxtest.DisputeOpen, "", sandboxtest.Params{"create": true})
	request := platform.InfractionReplyRequest{ID: *opened.Object.InfractionID, Message: "Delivered on Monday"}
	receipt := platform.Upload{Name: "recibo nº 1.pdf", MediaType: "application/pdf", Content: []byte("%PDF-1.4\n%%EOF")}
	reply, err := box.Client.InfractionReply(ctx, request, receipt)
	if err != nil || len(reply.Files) != 1 || !strings.HasSuffix(reply.Files[0].Name, ".pdf") {
		t.Fatalf("%+v %v", reply, err)
	}
	dispute, err := box.Client.InfractionDetail(ctx, platform.InfractionDetailRequest{ID: request.ID})
	// An open dispute has no time of resolution, which is not the year 1.
	if err != nil || dispute.Status != "responded" || dispute.ResolvedAt != nil {
		t.Errorf("%+v %v", dispute, err)
	}
}

func changesAccount(t *testing.T) {
	box := sandboxtest.New(t)
	box.CreateAccount(sandboxtest.AccountOptions{Username: "shop"})
	row := sandboxtest.AccountChangesLimit{Currency: "BRL", Operation: "cashin", MaxAmount: "50"}
	fee := sandboxtest.AccountChangesFee{Currency: "BRL", Operation: "cashin", Percent: "0", Fixed: "0"}
	changes := sandboxtest.AccountChanges{Limits: []sandboxtest.AccountChangesLimit{row}, Fees: []sandboxtest.AccountChangesFee{fee}}
	box.ChangeAccount("shop", changes)
	if shop := box.SetBalances("shop", sandboxtest.Balances{BRL: "7.50"}); shop.Balances.BRL.Available != "7.50" {
		t.Errorf("%+v", shop)
	}
	charge, err := box.ClientOf("shop").Cashin(ctx, platform.CashinRequest{Amount: "50", Currency: "BRL"})
	if err != nil || !charge.Fee.Equal("0") {
		t.Errorf("%+v %v", charge, err)
	}
	if _, err := box.ClientOf("shop").Cashin(ctx, platform.CashinRequest{Amount: "51", Currency: "BRL"}); err == nil {
		t.Error("the limit was ignored")
	}
}

func usesInbox(t *testing.T) {
	box := sandboxtest.New(t)
	inbox := box.Inbox("tests")
	box.SetWebhookURL(inbox.URL)
	inbox.Respond(500, 200)
	charge(t, box, "order-1")
	box.Trigger(sandboxtest.CashinPay, "order-1", nil)
	box.Advance(time.Hour)
	webhook := box.WaitForWebhook(platform.CashinConfirmed, nil)
	if len(webhook.Attempts) != 2 || *webhook.Attempts[0].Status != 500 {
		t.Errorf("%+v", webhook)
	}
	messages := inbox.Messages()
	if len(messages) != 2 || !*messages[0].SignatureValid || messages[0].Headers["x-webhook-event"] != "cashin.confirmed" {
		t.Errorf("%+v", messages)
	}
	inbox.Clear()
	if left := inbox.Messages(); len(left) != 0 {
		t.Errorf("%+v", left)
	}
}

// TestFails runs in the process that reportsFailure starts.
func TestFails(t *testing.T) {
	if os.Getenv("IS_OTHER_PROCESS") == "" {
		t.Skip("not in the process that reportsFailure starts")
	}
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	box.Trigger(sandboxtest.CashinPay, "order-1", nil)
	rejectedCharge(t, box)
	t.Error("the order is not paid")
}

func runFailing(variables ...string) string {
	process := exec.Command(os.Args[0], "-test.run=^TestFails$")
	process.Env = append(append(os.Environ(), "IS_OTHER_PROCESS=1"), variables...)
	output, _ := process.CombinedOutput()
	return string(output)
}

func reportsFailure(t *testing.T) {
	output := runFailing("PAYMENTS_SANDBOX_URL=" + rootOf(sandboxtest.New(t).URL))
	expectParts(t, output, "the order is not paid", "payments-sandbox: request log", "POST "+cashinPath+" 200 req_",
		"POST "+cashinPath+" 409 BELOW_MIN_LIMIT req_", `request: {"currency":"BRL","amount":0.50}`, "warning: external_id is missing",
		"payments-sandbox: webhooks", "cashin.confirmed tx_", "attempt 1: no_url")
}

func explainsStart(t *testing.T) {
	output := runFailing("PAYMENTS_SANDBOX_URL=", "PAYMENTS_SANDBOX_COMMAND=/bin/false with words")
	expectParts(t, output, "/bin/false with words", "exit status 1", "set PAYMENTS_SANDBOX_URL", "PAYMENTS_SANDBOX_COMMAND")
}
