"""Each endpoint of the platform API has a method whose result is typed."""

import inspect
from decimal import Decimal

from payments_sandbox import Upload
from payments_sandbox.platform import Endpoints

PDF = Upload("receipt.pdf", b"%PDF-1.4\n%%EOF", "application/pdf")


def dispute(sandbox):
    return sandbox.trigger("dispute.open", create=True).object.infraction_id


def test_each_endpoint_returns_its_typed_result(sandbox):
    client = sandbox.client()
    pair = {"base_currency": "BRL", "destination_currency": "USDT", "amount": "100"}
    opened = dispute(sandbox)
    results = {
        "cashin": client.cashin(amount="250.00", currency="MXN"),
        "wallet": client.wallet(currency="USDT", chain="tron"),
        "cashout": client.cashout(amount="10", currency="BRL", key="52998224725", external_id="payout-1"),
        "pix_payment": client.pix_payment(amount="10", credit_party={"key": "52998224725", "keyType": "cpf"}),
        "transfer": client.transfer(username="customer", currency="BRL", amount="5"),
        "rate": client.rate(**pair),
        "simulate": client.simulate(**pair),
        "conversion": client.conversion(**pair),
        "transaction_list": client.transaction_list(page=1, page_size=50, type="cashin"),
        "balance": client.balance(),
        "profile": client.profile(),
        "limits": client.limits(),
        "fees": client.fees(),
        "infraction_list": client.infraction_list(status="open"),
        "infraction_detail": client.infraction_detail(id=opened),
        "infraction_reply": client.infraction_reply(id=opened, message="Delivered on Monday", files=[PDF]),
    }
    methods = [name for name, _ in inspect.getmembers(Endpoints, inspect.isfunction) if not name.startswith("_")]
    assert sorted(results) == methods
    for name, result in results.items():
        assert type(result).__name__.endswith("Response"), name
    assert [item.type for item in results["transaction_list"].items] == ["cashin", "cashin"]
    assert isinstance(results["rate"].rate, Decimal)
    assert [file.name for file in results["infraction_reply"].files] == ["receipt.pdf"]
