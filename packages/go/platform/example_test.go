package platform_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"git.example/payments-sandbox/payments-sandbox/packages/go/platform"
)

func ExampleClient() {
	client := platform.NewClient(os.Getenv("PAYMENTS_SANDBOX_URL"), platform.Credential{
		ClientID:     os.Getenv("PAYMENTS_SANDBOX_CLIENT_ID"),
		ClientSecret: os.Getenv("PAYMENTS_SANDBOX_CLIENT_SECRET"),
		SigningKey:   os.Getenv("PAYMENTS_SANDBOX_SIGNING_KEY"),
	})
	charge, err := client.Cashin(context.Background(), platform.CashinRequest{Amount: "25.00", Currency: "BRL"})
	var rejected *platform.Error
	if errors.As(err, &rejected) && rejected.Code == platform.CodeBelowMinLimit {
		log.Printf("the minimum is %v", rejected.Details["min_amount"])
	} else if err == nil {
		log.Print(charge.PaymentInfo.QRCode)
	}
}

func ExampleVerifyWebhook() {
	http.HandleFunc("/webhooks", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := platform.VerifyWebhook(os.Getenv("WEBHOOK_SECRET"), body, request.Header, time.Now())
		if err != nil {
			http.Error(response, err.Error(), http.StatusUnauthorized)
			return
		}
		var paid platform.CashinConfirmedData
		if event.Name == platform.CashinConfirmed && event.Decode(&paid) == nil {
			log.Printf("%s is paid: %s", platform.ValueOf(paid.ExternalID), paid.AmountNet)
		}
	})
}

func ExampleAmount() {
	fmt.Println(platform.Amount("25.1").Equal("25.10"))
	fmt.Println(platform.Amount("0.1").Rat().FloatString(2))
	// Output:
	// true
	// 0.10
}
