package platform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Reasons for which VerifyWebhook rejects a webhook. Respond with 401.
var (
	ErrSignature = errors.New("the secret is empty, or the signature does not match the raw body of the webhook")
	ErrTimestamp = errors.New("the timestamp of the webhook is missing or too far from now")
	ErrBody      = errors.New("the body of the webhook is not an event")
)

// Event is the envelope of a webhook.
type Event struct {
	Name          EventName `json:"event"`
	Timestamp     time.Time `json:"timestamp"`
	TransactionID string    `json:"transaction_id"`
	// Data is what Decode decodes.
	Data json.RawMessage `json:"data"`
}

// Decode decodes the data of the event into a type such as CashinConfirmedData.
func (e *Event) Decode(into any) error { return decode(e.Data, into) }

// VerifyWebhook verifies the signature over the raw body, in constant time, and
// that the timestamp is near now. Pass the body as it was received: text that
// was decoded and encoded again has another signature.
func VerifyWebhook(secret string, body []byte, header http.Header, now time.Time) (*Event, error) {
	signature, err := hex.DecodeString(header.Get(headerWebhookSignature))
	if err != nil || secret == "" || !hmac.Equal(signature, hmacOf(secret, body)) {
		return nil, ErrSignature
	}
	seconds, err := strconv.ParseInt(header.Get(headerWebhookTimestamp), 10, 64)
	earliest := now.Unix() - signatureWindowSeconds
	if err != nil || seconds < earliest || seconds > earliest+2*signatureWindowSeconds {
		return nil, ErrTimestamp
	}
	event := new(Event)
	if decode(body, event) != nil || event.Name == "" || len(event.Data) == 0 {
		return nil, ErrBody
	}
	return event, nil
}

func hmacOf(key string, text []byte) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(text)
	return mac.Sum(nil)
}
