// Package platform is a client of the platform API that payments-sandbox
// emulates: typed requests and responses, tokens, signatures, error codes, and
// the verification of webhooks.
package platform

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Client sends requests with one credential. It fetches a token before the
// first request, and a new one after the platform has rejected the token. It
// signs the requests that require it. It is safe for concurrent use.
type Client struct {
	baseURL    string
	credential Credential
	lock       sync.Mutex
	token      string
}

// NewClient returns a client for the API at a base URL.
func NewClient(baseURL string, credential Credential) *Client {
	return &Client{baseURL: baseURL, credential: credential}
}

// SignRequest returns the headers of a signed request. The body is exactly what
// is sent. A signature is valid for one request.
func SignRequest(signingKey string, body []byte) http.Header {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err) // The system has no randomness.
	}
	random[6], random[8] = random[6]&0x0f|0x40, random[8]&0x3f|0x80
	nonce := fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
	timestamp := fmt.Sprint(time.Now().Unix())
	header := http.Header{}
	text := append([]byte(timestamp+"."+nonce+"."), body...)
	header.Set(headerSignature, hex.EncodeToString(hmacOf(signingKey, text)))
	header.Set(headerTimestamp, timestamp)
	header.Set(headerNonce, nonce)
	return header
}

type endpoint struct {
	method, path, mediaType string
	isSigned                bool
}

// Upload is a file that is attached to a reply to a dispute.
type Upload struct {
	Name, MediaType string
	Content         []byte
}

// inHeader escapes the name of a file as browsers do.
var inHeader = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

// formOf encodes fields and files as multipart/form-data.
func formOf(request any, files []Upload) (body []byte, mediaType string, err error) {
	values, err := valuesOf(request)
	if err != nil {
		return nil, "", err
	}
	// Nothing fails that writes to memory.
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	for name := range values {
		form.WriteField(name, values.Get(name))
	}
	for _, file := range files {
		disposition := `form-data; name="files[]"; filename="` + inHeader.Replace(file.Name) + `"`
		part, _ := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {file.MediaType}})
		part.Write(file.Content)
	}
	form.Close()
	return buffer.Bytes(), form.FormDataContentType(), nil
}

// send returns the data of the response. The error is that of encoding the body.
func send[Response any](ctx context.Context, c *Client, target endpoint, body []byte, err error) (*Response, error) {
	if err == nil {
		body, err = c.sendAuthorized(ctx, target, body, "")
	}
	if err != nil {
		return nil, err
	}
	envelope := struct{ Data *Response }{new(Response)}
	err = decode(body, &envelope)
	return envelope.Data, err
}

// sendAuthorized sends a request, and once more with a new token if the platform
// rejects the token. It has done nothing then, because it checks the token first.
func (c *Client) sendAuthorized(ctx context.Context, target endpoint, body []byte, rejectedToken string) ([]byte, error) {
	token, err := c.tokenAfter(ctx, rejectedToken)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if target.isSigned {
		header = SignRequest(c.credential.SigningKey, body)
	}
	header.Set("Content-Type", target.mediaType)
	header.Set("Authorization", "Bearer "+token)
	text, err := Send(ctx, target.method, c.baseURL+target.path, header, body)
	var failure *Error
	if errors.As(err, &failure) && rejectedToken == "" && (failure.Code == CodeTokenExpired || failure.Code == CodeUnauthorized) {
		return c.sendAuthorized(ctx, target, body, token)
	}
	return text, err
}

// tokenAfter returns a token other than the rejected one, if there was one. Concurrent requests
// share it.
func (c *Client) tokenAfter(ctx context.Context, rejectedToken string) (string, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.token != rejectedToken {
		return c.token, nil
	}
	basic := base64.StdEncoding.EncodeToString([]byte(c.credential.ClientID + ":" + c.credential.ClientSecret))
	header := http.Header{"Authorization": {"Basic " + basic}, "Content-Type": {"application/json"}}
	text, err := Send(ctx, http.MethodPost, c.baseURL+tokenPath, header, []byte(`{"grant_type":"client_credentials"}`))
	if err != nil {
		return "", err
	}
	var response TokenResponse
	err = decode(text, &response)
	c.token = response.AccessToken
	return c.token, err
}

// QueryOf encodes the fields of a request as a query; fields that are left out in JSON are left out.
func QueryOf(request any) (string, error) {
	values, err := valuesOf(request)
	return values.Encode(), err
}

func valuesOf(request any) (url.Values, error) {
	text, err := json.Marshal(request)
	values, fields := url.Values{}, map[string]any{}
	if err == nil {
		err = decode(text, &fields)
	}
	for name, value := range fields {
		values.Set(name, fmt.Sprint(value))
	}
	return values, err
}

// Of returns a pointer to a value, for a field that may be missing: its zero is
// a value, and nil is none.
func Of[T any](value T) *T { return &value }

// ValueOf returns the value of a field that may be missing, and zero if it is.
func ValueOf[T any](field *T) T {
	if field == nil {
		return *new(T)
	}
	return *field
}

// Error is an error response. Take it out of an error with errors.As.
type Error struct {
	// Status is the HTTP status.
	Status         int
	Code           ErrorCode
	Message, Group string
	Retryable      bool
	// Details depend on the code. Numbers are json.Number.
	Details map[string]any
	// RequestID finds the request in the request log.
	RequestID string
}

// Error returns the fields as one line.
func (e *Error) Error() string {
	details, _ := json.Marshal(e.Details)
	return fmt.Sprintf("%d %s: %s %s (%s)", e.Status, e.Code, e.Message, details, e.RequestID)
}

// Send sends a request and returns the body of the response. The error is an
// *Error if the status is not 2xx. Use it for requests that Client lacks.
func Send(ctx context.Context, method, url string, header http.Header, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	if err != nil || response.StatusCode/100 == 2 {
		return text, err
	}
	var envelope struct{ Error *Error }
	if decode(text, &envelope) != nil || envelope.Error == nil {
		envelope.Error = &Error{Message: fmt.Sprintf("the response is not one of a sandbox: %.200s", text)}
	}
	envelope.Error.Status = response.StatusCode
	envelope.Error.RequestID = response.Header.Get(headerRequestID)
	return nil, envelope.Error
}

// decode keeps numbers exact.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
