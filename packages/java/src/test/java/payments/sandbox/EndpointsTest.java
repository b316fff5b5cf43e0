package payments.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import payments.sandbox.Platform.Action;
import payments.sandbox.Platform.CashinRequest;
import payments.sandbox.Platform.CashoutRequest;
import payments.sandbox.Platform.ConversionRequest;
import payments.sandbox.Platform.InfractionDetailRequest;
import payments.sandbox.Platform.InfractionListRequest;
import payments.sandbox.Platform.InfractionReplyRequest;
import payments.sandbox.Platform.PixPaymentRequest;
import payments.sandbox.Platform.PixPaymentRequestCreditParty;
import payments.sandbox.Platform.TransactionListRequest;
import payments.sandbox.Platform.TransferRequest;
import payments.sandbox.Platform.Upload;
import payments.sandbox.Platform.WalletRequest;

/** Each endpoint of the platform API has a method whose result is typed. */
@ExtendWith(SandboxExtension.class)
class EndpointsTest {
  @Test
  @DisplayName("each endpoint returns its typed result")
  void callsEachEndpoint(Sandbox sandbox) {
    ApiClient client = sandbox.client();
    ConversionRequest pair = new ConversionRequest().baseCurrency("BRL").destinationCurrency("USDT").amount(100);
    String dispute = sandbox.trigger(Action.DISPUTE_OPEN, Map.of("create", true)).object().infractionId();
    Upload receipt = new Upload("receipt.pdf", "application/pdf", "%PDF-1.4\n%%EOF".getBytes(UTF_8));
    var party = new PixPaymentRequestCreditParty().key("52998224725").keyType("cpf");
    var reply = new InfractionReplyRequest().id(dispute).message("Delivered on Monday").files(List.of(receipt));
    var payout = new CashoutRequest().amount(10).currency("BRL").key("52998224725").externalId("payout-1");
    var transactions = new TransactionListRequest().page(1).pageSize(50).type("cashin");
    Map<String, Object> results = Stream.<Map.Entry<String, Object>>of(
        Map.entry("cashin", client.cashin(new CashinRequest().amount("250.00").currency("MXN"))),
        Map.entry("wallet", client.wallet(new WalletRequest().currency("USDT").chain("tron"))),
        Map.entry("cashout", client.cashout(payout)),
        Map.entry("pixPayment", client.pixPayment(new PixPaymentRequest().amount(10).creditParty(party))),
        Map.entry("transfer", client.transfer(new TransferRequest().username("customer").currency("BRL").amount(5))),
        Map.entry("rate", client.rate(pair)),
        Map.entry("simulate", client.simulate(pair)),
        Map.entry("conversion", client.conversion(pair)),
        Map.entry("transactionList", client.transactionList(transactions)),
        Map.entry("balance", client.balance()),
        Map.entry("profile", client.profile()),
        Map.entry("limits", client.limits()),
        Map.entry("fees", client.fees()),
        Map.entry("infractionList", client.infractionList(new InfractionListRequest().status("open"))),
        Map.entry("infractionDetail", client.infractionDetail(new InfractionDetailRequest().id(dispute))),
        Map.entry("infractionReply", client.infractionReply(reply)))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    var methods = Stream.of(Endpoints.class.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers()))
        .map(method -> method.getName()).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(methods, new TreeSet<>(results.keySet()));
    results.forEach((name, result) -> assertTrue(result.getClass().getSimpleName().endsWith("Response"), name));
    assertEquals(2, ((Platform.TransactionListResponse) results.get("transactionList")).items().size());
    assertTrue(((Platform.RateResponse) results.get("rate")).rate().compareTo(BigDecimal.ZERO) > 0);
    assertEquals("receipt.pdf", ((Platform.InfractionReplyResponse) results.get("infractionReply")).files().get(0).name());
  }
}
