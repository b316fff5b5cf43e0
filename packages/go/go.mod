module payments-sandbox

go 1.19
