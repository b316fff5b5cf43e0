module git.example/payments-sandbox/payments-sandbox/packages/go

go 1.19
