"""The behaviours that all packages share: ``packages/behaviours.md`` lists them by these numbers."""

import dataclasses
import hmac
import json
import os
import time
from decimal import Decimal

import pytest

from payments_sandbox import Client, SandboxError, StartError, UnreachableError, Upload, WebhookRejected
from payments_sandbox import find_server, verify_webhook
from payments_sandbox.platform import ERRORS, CashinConfirmedData, CashinResponse
from payments_sandbox.wire import send

SCENARIO = """
name: paid-then-refunded
title: A charge is paid and refunded
steps:
  - create: { cashin: { amount: 10, currency: BRL }, as: charge }
  - cashin.pay
  - cashin.refund
  - expect: { status: refunded, id: "${charge}" }
"""

ONE_TEST = """
def test_one(payments_sandbox):
    with open("workspace.txt", "w") as file:
        file.write(payments_sandbox.workspace)
"""

FAILING_TEST = """
def test_fails(payments_sandbox):
    payments_sandbox.client().cashin(amount=25, currency="BRL")
    payments_sandbox.trigger("cashin.pay")
    payments_sandbox.client().cashin(amount="0.50", currency="BRL")
"""

SEEN = []


def charge(sandbox, **fields):
    return sandbox.client().cashin(**{"amount": "25.00", "currency": "BRL", "external_id": "order-1", **fields})


def requests(sandbox, path):
    rows = sandbox.control.send("GET", "/requests", query={"limit": 100})["data"]
    return [row for row in rows if row["path"].endswith(path)]


def received(sandbox):
    """Return a webhook as a receiver gets it: the raw body and the headers."""
    inbox = sandbox.inbox()
    charge(sandbox, postback_url=inbox.url)
    sandbox.trigger("cashin.pay")
    sandbox.webhooks.wait_for("cashin.confirmed")
    (message,) = inbox.messages()
    return message.raw.encode(), message.headers, sandbox.credentials["merchant"].webhook_secret


def workspaces(server):
    return [row["name"] for row in server.control.send("GET", "/workspaces")["data"]]


def run_within(pytester, code):
    """Run a test in a folder of its own, with the plugin."""
    pytester.makepyfile(code)
    return pytester.runpytest_inprocess("-p", "payments_sandbox.plugin")


@pytest.fixture
def environment(payments_sandbox_server):
    """The variables of a process that is to use the sandbox of this session."""
    return {**os.environ, "PAYMENTS_SANDBOX_URL": payments_sandbox_server.url}


def test_01_uses_the_sandbox_that_the_variable_names(payments_sandbox_server, environment):
    found = find_server(environment)
    workspace = found.create_workspace()
    assert workspace.url.startswith(payments_sandbox_server.url + "/w/")
    workspace.delete()
    found.stop()
    assert send("GET", payments_sandbox_server.url + "/_sandbox/health", {})["status"] == "ok"


def test_02_starts_a_sandbox_if_none_is_named_and_stops_it(environment):
    server = find_server({**environment, "PAYMENTS_SANDBOX_URL": ""})
    assert server.url != environment["PAYMENTS_SANDBOX_URL"]
    health = server.url + "/_sandbox/health"
    assert send("GET", health, {})["status"] == "ok"
    server.stop()
    with pytest.raises(UnreachableError, match="cannot be reached"):
        send("GET", health, {})


@pytest.mark.parametrize("count", [1, 2])
def test_03_each_test_has_a_workspace_of_its_own(sandbox, count):
    assert sandbox.client().transaction_list().items == []
    charge(sandbox)
    SEEN.append(sandbox.workspace)
    assert len(set(SEEN[-count:])) == count


def test_04_the_workspace_is_deleted_after_the_test(pytester, payments_sandbox_server, monkeypatch):
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", payments_sandbox_server.url)
    run_within(pytester, ONE_TEST).assert_outcomes(passed=1)
    assert (pytester.path / "workspace.txt").read_text() not in workspaces(payments_sandbox_server)


def test_05_one_token_is_fetched_and_reused(sandbox):
    charge(sandbox)
    sandbox.client().balance()
    sandbox.client().profile()
    assert len(requests(sandbox, "/oauth/token")) == 1


def test_06_a_new_token_is_fetched_after_401(sandbox):
    charge(sandbox)
    sandbox.clock.advance("2h")
    assert charge(sandbox, external_id="order-2").external_id == "order-2"
    assert len(requests(sandbox, "/oauth/token")) == 2
    assert [row["error_code"] for row in requests(sandbox, "/cashin")] == [None, "TOKEN_EXPIRED", None]


def test_07_a_withdrawal_is_signed(sandbox):
    withdrawal = sandbox.client().cashout(amount=100, currency="BRL", key="52998224725", external_id="payout-1")
    assert withdrawal.status == "pending"
    credential = dataclasses.replace(sandbox.credentials["merchant"], signing_key="another")
    with pytest.raises(SandboxError) as caught:
        Client(sandbox.url, credential).cashout(amount=1, currency="BRL", key="52998224725", external_id="payout-2")
    assert caught.value.code == "INVALID_SIGNATURE"


def test_08_a_charge_is_a_typed_result(sandbox):
    created = charge(sandbox, payer={"name": "Ana Souza", "document": "52998224725"})
    assert isinstance(created, CashinResponse)
    assert (created.status, created.payment_method, created.payment_info.clabe) == ("pending", "pix", None)
    assert created.payment_info.qrcode.startswith("000201")


def test_09_the_payment_is_triggered(sandbox):
    created = charge(sandbox)
    triggered = sandbox.trigger("cashin.pay", created.transaction_id, payer={"name": "Maria Souza"})
    assert (triggered.object.status, triggered.object.payer.name) == ("confirmed", "Maria Souza")
    assert [row.event for row in triggered.events] == ["cashin.confirmed"]


def test_10_a_webhook_is_awaited(sandbox):
    sandbox.set_webhook_url(sandbox.inbox().url)
    charge(sandbox)
    sandbox.trigger("cashin.pay", "order-1")
    webhook = sandbox.webhooks.wait_for("cashin.confirmed", external_id="order-1")
    assert (webhook.status, webhook.attempts[0].status) == ("delivered", 200)
    assert isinstance(webhook.data, CashinConfirmedData)


def test_11_a_signature_is_verified_over_the_raw_body(sandbox):
    body, headers, secret = received(sandbox)
    event = verify_webhook(body, headers, secret)
    assert (event.event, event.data.external_id) == ("cashin.confirmed", "order-1")
    with pytest.raises(WebhookRejected, match="signature_mismatch"):
        verify_webhook(json.dumps(json.loads(body)).encode(), headers, secret)


def test_12_a_changed_body_and_a_wrong_secret_are_rejected_in_constant_time(sandbox, monkeypatch):
    body, headers, secret = received(sandbox)
    compared = []
    compare = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda *texts: compared.append(texts) or compare(*texts))
    for changed, key in ((body.replace(b"25.00", b"26.00"), secret), (body, "whsec_wrong")):
        with pytest.raises(WebhookRejected, match="signature_mismatch"):
            verify_webhook(changed, headers, key)
    assert len(compared) == 2
    for lost, reason in (("X-Webhook-Signature", "missing_signature"), ("X-Webhook-Timestamp", "missing_timestamp")):
        with pytest.raises(WebhookRejected, match=reason):
            verify_webhook(body, {key: value for key, value in headers.items() if key.lower() != lost.lower()}, secret)


def test_13_an_old_timestamp_is_rejected(sandbox):
    body, headers, secret = received(sandbox)
    with pytest.raises(WebhookRejected, match="stale_timestamp"):
        verify_webhook(body, headers, secret, now=int(time.time()) + 400)
    assert verify_webhook(body, headers, secret, now=int(time.time()) + 400, tolerance_seconds=500)


def test_14_the_clock_advances_until_a_charge_expires(sandbox):
    created = charge(sandbox)
    before = sandbox.clock.now()
    advanced = sandbox.clock.advance("1h")
    assert advanced.complete
    assert (sandbox.clock.now() - before).total_seconds() == 3600
    assert sandbox.webhooks.wait_for("cashin.expired", transaction_id=created.transaction_id).data.status == "expired"


def test_15_a_built_in_scenario_is_armed(sandbox):
    sandbox.scenarios.arm("provider-error", times=1)
    with pytest.raises(SandboxError) as caught:
        charge(sandbox)
    assert caught.value.code == "PROVIDER_ERROR"
    assert charge(sandbox).status == "pending"


def test_16_a_scenario_of_its_own_is_uploaded_and_run(sandbox):
    assert sandbox.scenarios.upload(SCENARIO).name == "paid-then-refunded"
    run = sandbox.scenarios.run("paid-then-refunded")
    assert (run.status, [step.status for step in run.steps]) == ("passed", ["passed"] * 4)


def test_17_an_error_has_status_code_message_details_and_request_id(sandbox):
    with pytest.raises(SandboxError) as caught:
        charge(sandbox, currency="EUR")
    error = caught.value
    assert (error.status, error.code) == (ERRORS["INVALID_CURRENCY"].status, "INVALID_CURRENCY")
    assert error.message and "BRL" in error.details["supported"]
    assert (error.group, error.retryable) == ("validation", False)
    assert sandbox.control.send("GET", f"/requests/{error.request_id}")["error_code"] == "INVALID_CURRENCY"


def test_18_a_wait_that_times_out_says_what_happened(sandbox):
    created = charge(sandbox)
    sandbox.trigger("cashin.expire")
    with pytest.raises(SandboxError) as caught:
        sandbox.webhooks.wait_for("cashin.confirmed", external_id="order-1", timeout="50ms")
    assert caught.value.code == "WAIT_TIMEOUT"
    assert "for cashin.confirmed of external_id order-1" in str(caught.value)
    assert f"cashin.expired (no_url) of {created.transaction_id}" in str(caught.value)


def test_19_the_same_external_id_returns_the_same_charge(sandbox):
    assert charge(sandbox).transaction_id == charge(sandbox).transaction_id
    with pytest.raises(SandboxError) as caught:
        charge(sandbox, amount=26)
    assert caught.value.code == "DUPLICATE_EXTERNAL_ID"


def test_20_amounts_are_exact_decimals(sandbox):
    created = charge(sandbox, amount=Decimal("1234.57"))
    assert created.amount == Decimal("1234.57")
    assert created.fee == Decimal("12.35")
    (logged,) = requests(sandbox, "/cashin")
    assert '"amount":1234.57' in sandbox.control.send("GET", f"/requests/{logged['request_id']}")["request_body"]
    with pytest.raises(TypeError, match="is not exact"):
        charge(sandbox, amount=0.1)


def test_21_expected_calls_are_asserted_with_near_misses(sandbox):
    charge(sandbox, amount=Decimal("25.50"))
    path = "/v2/transactions/cashin"
    assert sandbox.requests.expect(method="POST", path=path, body={"amount": Decimal("25.5")}, times=1) == 1
    assert sandbox.requests.expect(path=path) == 1
    assert sandbox.requests.expect(path="/v2/transactions/cashout", times=0) == 0
    with pytest.raises(SandboxError, match="received 0.* had body.amount 25.5 instead of 25"):
        sandbox.requests.expect(path=path, body={"amount": 25})


def test_22_rejected_calls_and_calls_with_warnings_are_listed(sandbox):
    charge(sandbox, external_id=None)
    with pytest.raises(SandboxError):
        charge(sandbox, amount="0.50")
    (rejected,) = sandbox.requests.unexpected()
    assert rejected.error_code == "BELOW_MIN_LIMIT"
    (warned,) = sandbox.requests.warnings()
    assert [warning.code for warning in warned.warnings] == ["no_external_id"]
    assert '"amount":0.50' in sandbox.requests.get(rejected.request_id).request_body
    assert sandbox.requests.replay(rejected.request_id).error_code == "BELOW_MIN_LIMIT"


def test_23_snapshots_are_restored_and_the_workspace_is_reset(sandbox):
    charge(sandbox)
    sandbox.snapshot(name="one")
    charge(sandbox, external_id="order-2")
    assert sandbox.restore("one").name == "one"
    assert [row.external_id for row in sandbox.client().transaction_list().items] == ["order-1"]
    sandbox.reset()
    assert sandbox.client().transaction_list().items == []
    assert sandbox.clock.now() == sandbox.clock.now()
    assert sandbox.control.send("GET", "/clock")["mode"] == "manual"


def test_24_random_faults_are_injected_and_stopped(sandbox):
    sandbox.client().token()
    assert sandbox.chaos.set(seed="a", error="100%").error == "100%"
    with pytest.raises(SandboxError) as caught:
        charge(sandbox)
    assert caught.value.retryable
    assert sandbox.requests.list()[0].chaos == ["error"]
    assert sandbox.chaos.preset("gentle").slow.by == "1s"
    sandbox.chaos.off()
    assert sandbox.chaos.read().error is None
    assert charge(sandbox).status == "pending"


def test_25_the_statement_and_the_ledger_are_read(sandbox):
    charge(sandbox)
    sandbox.trigger("cashin.pay")
    statement = sandbox.statement("merchant", currency="BRL")
    assert statement.closing - statement.opening == sum(entry.amount for entry in statement.entries)
    assert [(row.type, row.amount) for row in statement.entries[-2:]] == [("charge", 25), ("charge_fee", Decimal("-0.25"))]
    ledger = sandbox.ledger()
    assert ledger.balanced
    (brl,) = [row for row in ledger.accounts if (row.username, row.currency) == ("merchant", "BRL")]
    assert brl.available == statement.closing


def test_26_a_dispute_is_replied_to_with_a_file(sandbox):
    dispute = sandbox.trigger("dispute.open", create=True).object.infraction_id
    receipt = Upload("receipt.pdf", b"%PDF-1.4\n%%EOF", "application/pdf")
    reply = sandbox.client().infraction_reply(id=dispute, message="Delivered on Monday", files=[receipt])
    assert [file.name for file in reply.files] == ["receipt.pdf"]
    assert sandbox.client().infraction_detail(id=dispute).status == "responded"


def test_27_an_account_is_created_and_changed(sandbox):
    assert sandbox.create_account(username="shop", balances={"BRL": "500.00"}).balances.BRL.available == 500
    limits = [{"currency": "BRL", "operation": "cashin", "max_amount": Decimal(50)}]
    sandbox.change_account("shop", limits=limits, fees=[{"currency": "BRL", "operation": "cashin", "percent": "0"}])
    sandbox.set_balances("shop", BRL="7.50")
    shop = sandbox.client("shop")
    assert shop.cashin(amount=50, currency="BRL").fee < 1
    assert sandbox.account("shop").balances.BRL.available == Decimal("7.50")
    with pytest.raises(SandboxError, match="EXCEEDS_MAX_LIMIT"):
        shop.cashin(amount=51, currency="BRL")


def test_28_an_inbox_has_messages_and_responses(sandbox):
    inbox = sandbox.inbox()
    sandbox.set_webhook_url(inbox.url)
    inbox.respond(500, 200)
    charge(sandbox)
    sandbox.trigger("cashin.pay")
    sandbox.clock.advance_until_idle()
    assert [message.signature_valid for message in inbox.messages()] == [True, True]
    assert [attempt.status for attempt in sandbox.webhooks.wait_for("cashin.confirmed").attempts] == [500, 200]
    inbox.clear()
    assert inbox.messages() == []


def test_29_a_failed_test_shows_calls_and_webhooks_without_frames_of_the_library(pytester, environment, monkeypatch):
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", environment["PAYMENTS_SANDBOX_URL"])
    output = str(run_within(pytester, FAILING_TEST).stdout)
    assert "payments-sandbox: request log" in output
    assert "POST /v2/transactions/cashin 409 BELOW_MIN_LIMIT req_" in output
    assert "warning: external_id is missing" in output
    assert 'request: {"currency":"BRL","amount":0.50}' in output
    assert "payments-sandbox: webhooks" in output
    assert "cashin.confirmed tx_" in output
    assert "wire.py" not in output
    assert "client.py" not in output


def test_30_a_failed_start_says_command_and_advice(environment):
    with pytest.raises(StartError) as caught:
        find_server({**environment, "PAYMENTS_SANDBOX_URL": "", "PAYMENTS_SANDBOX_COMMAND": "sh -c 'echo no disk >&2; exit 3'"})
    for part in ("sh -c", "no disk", "set PAYMENTS_SANDBOX_URL", "PAYMENTS_SANDBOX_COMMAND"):
        assert part in str(caught.value)


def test_a_programming_error_is_a_type_error_and_sends_nothing(sandbox):
    for mistake in (
        lambda: sandbox.trigger("cashin.pay", None),
        lambda: sandbox.webhooks.wait_for("cashin.payed"),
        lambda: sandbox.webhooks.wait_for("cashin.confirmed", externalid="order-1"),
        lambda: sandbox.requests.expect(pth="/v2/transactions/cashin"),
        lambda: sandbox.chaos.preset("wild"),
        lambda: verify_webhook("{}", {}, "secret"),
        lambda: verify_webhook(b"{}", {}, None),
        lambda: charge(sandbox, amount=0.1),
    ):
        with pytest.raises(TypeError):
            mistake()
    assert sandbox.requests.list() == []
