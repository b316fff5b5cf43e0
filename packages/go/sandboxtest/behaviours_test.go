package sandboxtest_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
	"git.example/payments-sandbox/payments-sandbox/packages/go/sandboxtest"
)

var ctx = context.Background()

func TestMain(m *testing.M) { os.Exit(sandboxtest.Main(m)) }

// TestBehaviours has the behaviours of packages/behaviours.md, with their
// numbers.
func TestBehaviours(t *testing.T) {
	t.Run("1 uses the sandbox that the environment names, and leaves it running", usesNamedSandbox)
	t.Run("2 starts a sandbox if none is named, and stops it at the end", startsAndStopsSandbox)
	t.Run("3 gives each test a workspace of its own", givesOwnWorkspace)
	t.Run("4 deletes the workspace after the test", deletesWorkspace)
	t.Run("5 fetches one token and reuses it", reusesToken)
	t.Run("6 fetches a new token after the platform rejects the old one with 401", renewsToken)
	t.Run("7 signs a withdrawal", signsWithdrawal)
	t.Run("8 creates a charge and returns a typed result", createsCharge)
	t.Run("9 triggers the payment of a charge", triggersPayment)
	t.Run("10 waits for a webhook and returns its event", waitsForWebhook)
	t.Run("11 verifies the signature of a webhook over the raw body", verifiesSignature)
	t.Run("12 rejects a changed body and a wrong secret, with a comparison in constant time", rejectsChangedBody)
	t.Run("13 rejects a webhook with an old timestamp", rejectsOldTimestamp)
	t.Run("14 advances the clock until a charge expires", expiresCharge)
	t.Run("15 arms a built-in scenario", armsScenario)
	t.Run("16 uploads a scenario and runs it", runsOwnScenario)
	t.Run("17 returns an API error with status, code, message, details and request id", returnsError)
	t.Run("18 says what happened instead when a wait for a webhook times out", explainsTimeout)
	t.Run("19 returns the same charge when a request repeats its external_id", repeatsExternalID)
	t.Run("20 keeps amounts as exact decimals", keepsAmounts)
	t.Run("21 asserts that calls were made, and says how similar calls differ", expectsCalls)
	t.Run("22 lists rejected calls and calls with warnings", listsCalls)
	t.Run("23 restores a snapshot, and resets the workspace", restoresSnapshot)
	t.Run("24 injects random faults and stops them", injectsFaults)
	t.Run("25 reads the statement of an account and the ledger", readsStatement)
	t.Run("26 replies to a dispute with a file", repliesToDispute)
	t.Run("27 creates an account, and changes its balances, limits and fees", changesAccount)
	t.Run("28 reads what an inbox received, and sets its responses", usesInbox)
	t.Run("29 shows the calls and the webhooks of a failed test", reportsFailure)
	t.Run("30 says which command failed, and what to do, if no sandbox starts", explainsStart)
}

// TestPrintsURL runs in the processes that runOther starts.
func TestPrintsURL(t *testing.T) {
	if os.Getenv("IS_OTHER_PROCESS") == "" {
		t.Skip("not in a process that runOther starts")
	}
	fmt.Println("URL " + sandboxtest.New(t).URL)
}

// runOther runs a test process and returns the URL of its workspace.
func runOther(t *testing.T, variable string) string {
	t.Helper()
	process := exec.Command(os.Args[0], "-test.run=^TestPrintsURL$")
	process.Env = append(os.Environ(), "IS_OTHER_PROCESS=1", variable)
	output, err := process.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	_, after, _ := strings.Cut(string(output), "URL ")
	url, _, _ := strings.Cut(after, "\n")
	return url
}

func rootOf(url string) string {
	root, _, _ := strings.Cut(url, "/w/")
	return root
}

func healthOf(url string) (int, error) {
	response, err := http.Get(url + "/_sandbox/health")
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func charge(t *testing.T, box *sandboxtest.Sandbox, externalID string) *platform.CashinResponse {
	t.Helper()
	request := platform.CashinRequest{Amount: "25.00", Currency: "BRL", ExternalID: externalID}
	created, err := box.Client.Cashin(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func expectRequests(t *testing.T, box *sandboxtest.Sandbox, path string, times int) {
	t.Helper()
	expected := sandboxtest.Params{"path": strings.TrimPrefix(box.URL, rootOf(box.URL)) + path, "times": times}
	if err := box.Control(ctx, "POST", "/requests/verify", expected, nil); err != nil {
		t.Error(err)
	}
}

func usesNamedSandbox(t *testing.T) {
	named := rootOf(sandboxtest.New(t).URL)
	if url := runOther(t, "PAYMENTS_SANDBOX_URL="+named); !strings.HasPrefix(url, named+"/w/") {
		t.Errorf("the test used %s, not %s", url, named)
	}
	if status, err := healthOf(named); err != nil || status != http.StatusOK {
		t.Errorf("the sandbox does not run: %d %v", status, err)
	}
}

func startsAndStopsSandbox(t *testing.T) {
	url := runOther(t, "PAYMENTS_SANDBOX_URL=")
	if !strings.HasPrefix(url, "http://127.0.0.1:") || rootOf(url) == rootOf(sandboxtest.New(t).URL) {
		t.Errorf("no sandbox was started: %q", url)
	}
	if _, err := healthOf(rootOf(url)); err == nil {
		t.Errorf("%s still runs", url)
	}
}

func givesOwnWorkspace(t *testing.T) {
	one, other := sandboxtest.New(t), sandboxtest.New(t)
	charge(t, one, "order-1")
	var list struct{ Data []any }
	if err := other.Control(ctx, "GET", "/transactions", nil, &list); err != nil {
		t.Fatal(err)
	}
	if one.URL == other.URL || len(list.Data) != 0 {
		t.Errorf("%s and %s are not separate", one.URL, other.URL)
	}
}

func deletesWorkspace(t *testing.T) {
	var url string
	t.Run("test", func(t *testing.T) { url = sandboxtest.New(t).URL })
	if status, err := healthOf(url); err != nil || status != http.StatusNotFound {
		t.Errorf("the workspace exists: %d %v", status, err)
	}
}

func reusesToken(t *testing.T) {
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	charge(t, box, "order-2")
	expectRequests(t, box, "/v2/transactions/cashin", 2)
	expectRequests(t, box, "/v2/oauth/token", 1)
}

func renewsToken(t *testing.T) {
	box := sandboxtest.New(t)
	charge(t, box, "order-1")
	box.Advance(2 * time.Hour)
	charge(t, box, "order-2")
	expectRequests(t, box, "/v2/transactions/cashin", 3)
	expectRequests(t, box, "/v2/oauth/token", 2)
}

func signsWithdrawal(t *testing.T) {
	box := sandboxtest.New(t)
	request := platform.CashoutRequest{Amount: "10.00", Currency: "BRL", Key: "52998224725", ExternalID: "payout-1"}
	created, err := box.Client.Cashout(ctx, request)
	if err != nil || created.Status != "pending" {
		t.Fatalf("%+v %v", created, err)
	}
	credential := box.Accounts["merchant"]
	credential.SigningKey = "another key"
	_, err = platform.NewClient(box.URL, credential).Cashout(ctx, request)
	var rejected *platform.Error
	if !errors.As(err, &rejected) || rejected.Code != platform.CodeInvalidSignature {
		t.Error(err)
	}
}

func createsCharge(t *testing.T) {
	created := charge(t, sandboxtest.New(t), "order-1")
	if !created.Amount.Equal("25.00") || !created.Fee.Equal("0.25") || created.Status != "pending" || *created.ExternalID != "order-1" {
		t.Errorf("%+v", created)
	}
	if *created.PaymentInfo.QRCode == "" || *created.PaymentInfo.Expiration != 3600 {
		t.Errorf("%+v", created.PaymentInfo)
	}
}

func triggersPayment(t *testing.T) {
	box := sandboxtest.New(t)
	created := charge(t, box, "order-1")
	paid := box.Trigger(sandboxtest.CashinPay, created.TransactionID, sandboxtest.Params{"payer": map[string]any{"name": "Maria Souza"}})
	if paid.Object.Status != "confirmed" || paid.Object.TransactionID != created.TransactionID || *paid.Object.Payer.Name != "Maria Souza" {
		t.Errorf("%+v", paid)
	}
}

// delivery is a webhook as a receiver gets it.
type delivery struct {
	body   []byte
	header http.Header
}

// paidCharge returns the webhook of a paid charge, and what the receiver got.
func paidCharge(t *testing.T, box *sandboxtest.Sandbox) (*sandboxtest.Webhook, delivery) {
	t.Helper()
	requests := make(chan delivery, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		requests <- delivery{body, request.Header}
	}))
	t.Cleanup(receiver.Close)
	box.SetWebhookURL(receiver.URL)
	charge(t, box, "order-1")
	box.Trigger(sandboxtest.CashinPay, "order-1", nil)
	webhook := box.WaitForWebhook(platform.CashinConfirmed, sandboxtest.Params{"external_id": "order-1"})
	select {
	case request := <-requests:
		return webhook, request
	default:
		t.Fatal("the receiver got no request")
		return nil, delivery{}
	}
}

func waitsForWebhook(t *testing.T) {
	webhook, request := paidCharge(t, sandboxtest.New(t))
	var data platform.CashinConfirmedData
	if err := webhook.Decode(&data); err != nil {
		t.Fatal(err)
	}
	if webhook.Status != "delivered" || data.AmountNet != "24.75" || *data.ExternalID != "order-1" {
		t.Errorf("%+v %+v", webhook, data)
	}
	if webhook.Body != string(request.body) {
		t.Errorf("the receiver got %s", request.body)
	}
}

func verifiesSignature(t *testing.T) {
	box := sandboxtest.New(t)
	_, request := paidCharge(t, box)
	event, err := platform.VerifyWebhook(box.Accounts["merchant"].WebhookSecret, request.body, request.header, time.Now())
	if err != nil || event.Name != platform.CashinConfirmed {
		t.Fatalf("%+v %v", event, err)
	}
}

func rejectsChangedBody(t *testing.T) {
	box := sandboxtest.New(t)
	_, request := paidCharge(t, box)
	secret := box.Accounts["merchant"].WebhookSecret
	changed := []byte(strings.Replace(string(request.body), "25.00", "2500.00", 1))
	signedWithEmptyKey := request.header.Clone()
	mac := hmac.New(sha256.New, nil)
	mac.Write(request.body)
	signedWithEmptyKey.Set("X-Webhook-Signature", hex.EncodeToString(mac.Sum(nil)))
	unsigned := request.header.Clone()
	unsigned.Del("X-Webhook-Signature")
	for name, attempt := range map[string]struct {
		secret string
		body   []byte
		header http.Header
	}{
		"changed body":  {secret, changed, request.header},
		"encoded again": {secret, encodedAgain(t, request.body), request.header},
		"wrong secret":  {"wrong", request.body, request.header},
		"no secret":     {"", request.body, signedWithEmptyKey},
		"no signature":  {secret, request.body, unsigned},
	} {
		if _, err := platform.VerifyWebhook(attempt.secret, attempt.body, attempt.header, time.Now()); !errors.Is(err, platform.ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	source, err := os.ReadFile("../platform/webhook.go")
	if err != nil || !strings.Contains(string(source), "hmac.Equal(signature, ") {
		t.Errorf("signatures are not compared in constant time: %v", err)
	}
}

// encodedAgain has the same fields as the body, in another order.
func encodedAgain(t *testing.T, body []byte) []byte {
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(fields)
	return text
}

func rejectsOldTimestamp(t *testing.T) {
	box := sandboxtest.New(t)
	_, request := paidCharge(t, box)
	secret := box.Accounts["merchant"].WebhookSecret
	for age, expected := range map[time.Duration]error{
		-10 * time.Minute: platform.ErrTimestamp,
		0:                 nil,
		4 * time.Minute:   nil,
		6 * time.Minute:   platform.ErrTimestamp,
	} {
		_, err := platform.VerifyWebhook(secret, request.body, request.header, time.Now().Add(age))
		if !errors.Is(err, expected) {
			t.Errorf("%v: %v", age, err)
		}
	}
	request.header.Set("X-Webhook-Timestamp", "-9223372036854775808")
	if _, err := platform.VerifyWebhook(secret, request.body, request.header, time.Now()); !errors.Is(err, platform.ErrTimestamp) {
		t.Error(err)
	}
}

func expiresCharge(t *testing.T) {
	box := sandboxtest.New(t)
	created := charge(t, box, "order-1")
	box.Advance(time.Hour)
	webhook := box.WaitForWebhook(platform.CashinExpired, sandboxtest.Params{"transaction_id": created.TransactionID})
	var data platform.CashinExpiredData
	if err := webhook.Decode(&data); err != nil || data.Status != "expired" {
		t.Errorf("%+v %v", data, err)
	}
}

func armsScenario(t *testing.T) {
	box := sandboxtest.New(t)
	box.ArmScenario("provider-error")
	_, err := box.Client.Cashin(ctx, platform.CashinRequest{Amount: "25.00", Currency: "BRL"})
	var failed *platform.Error
	if !errors.As(err, &failed) || failed.Code != platform.CodeProviderError || !failed.Retryable {
		t.Error(err)
	}
}

const ownScenario = `
name: paid-later
title: A charge is paid after ten minutes
params: { amount: 25 }
steps:
  - create: { cashin: { amount: "${amount}", currency: BRL } }
  - wait: 10m
  - cashin.pay: {}
  - expect: { event: cashin.confirmed, within: 1s }
`

func runsOwnScenario(t *testing.T) {
	box := sandboxtest.New(t)
	box.UploadScenario(ownScenario)
	if run := box.RunScenario("paid-later", sandboxtest.Params{"amount": 30}); len(run.Steps) != 4 {
		t.Errorf("%+v", run)
	}
	if webhook := box.WaitForWebhook(platform.CashinConfirmed, nil); *webhook.Amount != "30.00" {
		t.Errorf("%+v", webhook)
	}
}

func returnsError(t *testing.T) {
	box := sandboxtest.New(t)
	_, err := box.Client.Cashin(ctx, platform.CashinRequest{Amount: "0.50", Currency: "BRL"})
	var failed *platform.Error
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if failed.Status != 409 || failed.Code != platform.CodeBelowMinLimit || failed.Group != "limits" || failed.Retryable {
		t.Errorf("%+v", failed)
	}
	if failed.Message == "" || failed.Details["min_amount"] != json.Number("1") || !strings.HasPrefix(failed.RequestID, "req_") {
		t.Errorf("%+v", failed)
	}
	for _, part := range []string{"409", "BELOW_MIN_LIMIT", failed.Message, `"min_amount":1`, failed.RequestID} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %s", err, part)
		}
	}
}

// failingTest records why a test ended.
type failingTest struct {
	testing.TB
	message string
}

func (f *failingTest) Helper() {}

func (f *failingTest) Fatal(values ...any) { f.Fatalf("%s", fmt.Sprint(values...)) }

func (f *failingTest) Fatalf(format string, values ...any) {
	f.message = fmt.Sprintf(format, values...)
	runtime.Goexit()
}

func explainsTimeout(t *testing.T) {
	message := endedBy(t, func(box *sandboxtest.Sandbox) {
		charge(t, box, "order-1")
		box.Trigger(sandboxtest.CashinPay, "order-1", nil)
		box.WaitForWebhook(platform.CashinExpired, sandboxtest.Params{"external_id": "order-1", "timeout": "50ms"})
	})
	expectParts(t, message, "event=cashin.expired", "external_id=order-1", "WAIT_TIMEOUT", "cashin.confirmed (failed) of tx_")
}

func repeatsExternalID(t *testing.T) {
	box := sandboxtest.New(t)
	first, second := charge(t, box, "order-1"), charge(t, box, "order-1")
	if first.TransactionID != second.TransactionID {
		t.Errorf("%s and %s", first.TransactionID, second.TransactionID)
	}
	_, err := box.Client.Cashin(ctx, platform.CashinRequest{Amount: "26.00", Currency: "BRL", ExternalID: "order-1"})
	var failed *platform.Error
	if !errors.As(err, &failed) || failed.Code != platform.CodeDuplicateExternalID {
		t.Error(err)
	}
}

func keepsAmounts(t *testing.T) {
	box := sandboxtest.New(t)
	balances := sandboxtest.Params{"BRL": "9007199254740.93", "SOL": "0.000000001"}
	if err := box.Control(ctx, "PUT", "/accounts/merchant/balances", balances, nil); err != nil {
		t.Fatal(err)
	}
	response, err := box.Client.Balance(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, balance := range response.Balances {
		if expected, ok := balances[balance.Currency]; ok && string(balance.Available) != expected {
			t.Errorf("%s %s, not %s", balance.Currency, balance.Available, expected)
		}
	}
	text, err := json.Marshal(platform.TransferRequest{Username: "customer", Currency: "SOL", Amount: "0.100000000000000001"})
	if err != nil || !strings.Contains(string(text), `"amount":0.100000000000000001`) {
		t.Errorf("%s %v", text, err)
	}
	for _, amount := range []platform.Amount{"ten", "", "null", "1,5"} {
		_, err := box.Client.Cashin(ctx, platform.CashinRequest{Amount: amount, Currency: "BRL"})
		if err == nil || !strings.Contains(err.Error(), "is not a decimal number") {
			t.Errorf("amount %q: %v", amount, err)
		}
	}
}
