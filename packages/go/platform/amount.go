package platform

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Amount is an exact decimal number, such as "24.75". It is text, so that no
// amount passes through binary floating point. In JSON it is a number.
type Amount string

var decimal = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,2})?$`)

// Rat returns the value for exact arithmetic; zero if a is not a number.
func (a Amount) Rat() *big.Rat {
	value := new(big.Rat)
	if decimal.MatchString(string(a)) {
		value.SetString(string(a))
	}
	return value
}

// Equal compares values: "25.1" equals "25.10".
func (a Amount) Equal(b Amount) bool { return a.Rat().Cmp(b.Rat()) == 0 }

// MarshalJSON writes the digits of the amount as a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !decimal.MatchString(string(a)) {
		return nil, fmt.Errorf("amount %q is not a decimal number such as \"24.75\"", string(a))
	}
	return []byte(a), nil
}

// UnmarshalJSON takes the digits of a JSON number or of a decimal string. Small
// numbers have an exponent in JSON: 1e-9 becomes 0.000000001.
func (a *Amount) UnmarshalJSON(text []byte) error {
	digits := strings.Trim(string(text), `"`)
	if digits == "null" {
		return nil
	}
	if !decimal.MatchString(digits) {
		return fmt.Errorf("%.50s is not a decimal number", text)
	}
	if strings.ContainsAny(digits, "eE") {
		digits = strings.TrimRight(strings.TrimRight(Amount(digits).Rat().FloatString(140), "0"), ".")
	}
	*a = Amount(digits)
	return nil
}
