package sandboxtest_test

import (
	"context"
	"testing"
	"time"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
	"git.example/payments-sandbox/payments-sandbox/packages/go/sandboxtest"
)

// t stands for the parameter of a test.
var t *testing.T

func Example() {
	box := sandboxtest.New(t)
	// Your code creates the charge, with box.URL and box.Accounts["merchant"].
	request := platform.CashinRequest{Amount: "25.00", Currency: "BRL", ExternalID: "order-1"}
	if _, err := box.Client.Cashin(context.Background(), request); err != nil {
		t.Fatal(err)
	}
	box.Trigger(sandboxtest.CashinPay, "order-1", nil)

	var paid platform.CashinConfirmedData
	webhook := box.WaitForWebhook(platform.CashinConfirmed, sandboxtest.Params{"external_id": "order-1"})
	if err := webhook.Decode(&paid); err != nil || paid.AmountNet != "24.75" {
		t.Errorf("%+v %v", paid, err)
	}
}

func ExampleSandbox_Trigger() {
	box := sandboxtest.New(t)
	reason := sandboxtest.Params{"error_code": "PIX_KEY_NOT_FOUND"}
	box.Trigger(sandboxtest.CashoutFail, "payout-1", reason)
}

func ExampleSandbox_Advance() {
	box := sandboxtest.New(t)
	box.Advance(time.Hour)
	box.WaitForWebhook(platform.CashinExpired, sandboxtest.Params{"external_id": "order-1"})
}

func ExampleSandbox_ArmScenario() {
	box := sandboxtest.New(t)
	box.ArmScenario("provider-error")
	// The next charge of your code fails with PROVIDER_ERROR.
}

func ExampleSandbox_UploadScenario() {
	box := sandboxtest.New(t)
	box.UploadScenario(`
name: paid-later
title: A charge is paid after ten minutes
on: { operation: cashin }
steps:
  - wait: 10m
  - cashin.pay: {}
`)
	box.ArmScenario("paid-later")
}
