package payments.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import payments.sandbox.Platform.*;

/** The behaviours of {@code packages/behaviours.md} about the calls of the control API. */
@ExtendWith(SandboxExtension.class)
class CallsTest {
  private static final String CASHIN = "/v2/transactions/cashin";

  private static CashinRequest order(String amount) {
    return new CashinRequest().amount(amount).currency(Currency.BRL);
  }

  private static void charge(Sandbox sandbox, String externalId) {
    sandbox.client().cashin(order("25.00").externalId(externalId));
  }

  private static int count(Sandbox sandbox) {
    return sandbox.client().transactionList(new TransactionListRequest()).items().size();
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) assertTrue(text.contains(part), () -> text + " lacks " + part);
  }

  @Test
  @DisplayName("21. asserts that calls were made, and says how similar calls differ")
  void expectsCalls(Sandbox sandbox) {
    charge(sandbox, "order-1");
    Map<String, Object> body = Map.of("amount", 25, "external_id", "order-1");
    assertEquals(1, sandbox.requests.expect(new ExpectedCall().method("POST").path(CASHIN).body(body).times(1)));
    assertEquals(1, sandbox.requests.expect(new ExpectedCall().path(CASHIN)));
    assertEquals(0, sandbox.requests.expect(new ExpectedCall().path("/v2/transactions/cashout").times(0)));
    ExpectedCall other = new ExpectedCall().path(CASHIN).body(Map.of("amount", new BigDecimal("26.00")));
    SandboxException error = assertThrows(SandboxException.class, () -> sandbox.requests.expect(other));
    assertContains(error.getMessage(), "received 0", "had body.amount 25 instead of 26");
  }

  @Test
  @DisplayName("22. lists rejected calls and calls with warnings, and reads one of them with its bodies")
  void listsCalls(Sandbox sandbox) {
    charge(sandbox, "order-1");
    assertThrows(SandboxException.class, () -> sandbox.client().cashin(order("0.50")));
    LoggedCall rejected = sandbox.requests.unexpected().get(0);
    assertEquals("BELOW_MIN_LIMIT", rejected.errorCode());
    assertEquals("no_external_id", sandbox.requests.warnings().get(0).warnings().get(0).code());
    LoggedCallDetails details = sandbox.requests.get(rejected.requestId());
    assertTrue(details.requestBody().contains("\"amount\":0.50"));
    assertEquals("application/json", details.requestHeaders().get("Content-Type"));
    assertEquals("BELOW_MIN_LIMIT", sandbox.requests.replay(rejected.requestId()).errorCode());
    assertEquals(1, sandbox.requests.list(new RequestFilter().errorCode(ErrorCode.BELOW_MIN_LIMIT).account("merchant")
        .warnings("true").status(409)).stream().filter(call -> call.requestId().equals(rejected.requestId())).count());
  }

  @Test
  @DisplayName("23. restores a snapshot, and resets the workspace, whose clock then stands still")
  void restoresASnapshot(Sandbox sandbox) {
    charge(sandbox, "order-1");
    sandbox.snapshot("one");
    charge(sandbox, "order-2");
    assertEquals("one", sandbox.restore("one").name());
    assertEquals(1, count(sandbox));
    sandbox.reset();
    assertEquals(0, count(sandbox));
    assertEquals("manual", sandbox.control.send("GET", "/clock", null).get("mode").text());
  }

  @Test
  @DisplayName("24. injects random faults and stops them")
  void injectsFaults(Sandbox sandbox) {
    charge(sandbox, "order-1");
    sandbox.chaos.set(new ChaosFaults().seed("a").error("100%"));
    assertTrue(assertThrows(SandboxException.class, () -> charge(sandbox, "order-2")).retryable);
    assertEquals(List.of("error"), sandbox.requests.list().get(0).chaos());
    assertEquals("1s", sandbox.chaos.preset("gentle").slow().by());
    sandbox.chaos.off();
    assertNull(sandbox.chaos.read().error());
    charge(sandbox, "order-2");
  }

  @Test
  @DisplayName("25. reads the statement of an account and the ledger")
  void readsTheStatement(Sandbox sandbox) {
    charge(sandbox, "order-1");
    sandbox.trigger(Action.CASHIN_PAY, "order-1");
    Statement statement = sandbox.statement("merchant", new StatementFilter().currency(Currency.BRL));
    List<StatementEntry> entries = statement.entries();
    StatementEntry fee = entries.get(entries.size() - 1);
    assertEquals("charge_fee", fee.type());
    assertEquals(new BigDecimal("-0.25"), fee.amount());
    assertEquals(Currency.BRL, fee.currency());
    assertEquals(statement.closing(), fee.balance());
    assertTrue(sandbox.ledger().balanced());
    assertEquals(statement.closing(), sandbox.account("merchant").balances().BRL().available());
  }

  @Test
  @DisplayName("26. replies to a dispute with a file")
  void repliesToADispute(Sandbox sandbox) {
    String dispute = sandbox.trigger(Action.DISPUTE_OPEN, Map.of("create", true)).object().infractionId();
    Upload receipt = new Upload("receipt.pdf", "application/pdf", "%PDF-1.4\n%%EOF".getBytes(UTF_8));
    var reply = new InfractionReplyRequest().id(dispute).message("Delivered on Monday").files(List.of(receipt));
    assertEquals("receipt.pdf", sandbox.client().infractionReply(reply).files().get(0).name());
    assertEquals("responded", sandbox.client().infractionDetail(new InfractionDetailRequest().id(dispute)).status());
  }

  @Test
  @DisplayName("27. creates an account, and changes its balances, limits and fees")
  void changesAnAccount(Sandbox sandbox) {
    sandbox.createAccount(new AccountOptions().username("shop").balances(new AccountOptionsBalances().BRL("500.00")));
    var limit = new AccountChangesLimit().currency(Currency.BRL).operation("cashin").maxAmount(50);
    var fee = new AccountChangesFee().currency(Currency.BRL).operation("cashin").fixed(0).percent(0);
    sandbox.changeAccount("shop", new AccountChanges().limits(List.of(limit)).fees(List.of(fee)));
    Account shop = sandbox.setBalances("shop", new Balances().BRL("7.50"));
    assertEquals(new BigDecimal("7.50"), shop.balances().BRL().available());
    assertEquals(0, sandbox.client("shop").cashin(order("50")).fee().signum());
    SandboxException error = assertThrows(SandboxException.class, () -> sandbox.client("shop").cashin(order("51")));
    assertEquals(ErrorCode.EXCEEDS_MAX_LIMIT, error.code);
  }

  @Test
  @DisplayName("28. reads what an inbox received, and sets its responses")
  void usesAnInbox(Sandbox sandbox) {
    Inbox inbox = sandbox.inbox("tests");
    sandbox.setWebhookUrl("merchant", inbox.url);
    inbox.respond(500, 200);
    charge(sandbox, "order-1");
    sandbox.trigger(Action.CASHIN_PAY, "order-1");
    sandbox.advance(Duration.ofHours(1));
    List<InboxMessage> messages = inbox.messages();
    assertEquals(List.of(true, true), messages.stream().map(InboxMessage::signatureValid).toList());
    assertEquals("cashin.confirmed", messages.get(0).headers().get("X-Webhook-Event"));
    inbox.clear();
    assertEquals(List.of(), inbox.messages());
  }

  /** Fails on purpose, in the run that the test below starts. */
  @ExtendWith(SandboxExtension.class)
  @EnabledIfSystemProperty(named = "payments.sandbox.fail", matches = "true")
  static class FailingTest {
    @Test
    void fails(Sandbox sandbox) {
      charge(sandbox, null);
      sandbox.trigger(Action.CASHIN_PAY, Map.of());
      sandbox.client().cashin(order("0.50"));
    }
  }

  @Test
  @DisplayName("29. shows the calls and the webhooks of a failed test in the output of the test runner")
  void showsAFailure() {
    PrintStream console = System.out;
    var output = new ByteArrayOutputStream();
    System.setProperty("payments.sandbox.fail", "true");
    System.setOut(new PrintStream(output, true, UTF_8));
    try {
      var request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(FailingTest.class)).build();
      LauncherFactory.create().execute(request);
    } finally {
      System.setOut(console);
      System.clearProperty("payments.sandbox.fail");
    }
    assertContains(output.toString(UTF_8), "FailingTest.fails(Sandbox) failed", "payments-sandbox: request log",
        "POST " + CASHIN + " 409 BELOW_MIN_LIMIT req_", "request: {\"amount\":0.50", "warning: external_id is missing",
        "payments-sandbox: webhooks", "cashin.confirmed tx_", "attempt 1: no_url");
  }

  @Test
  @DisplayName("30. says which command failed, and what to do, if no sandbox starts")
  void explainsAStart() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("PAYMENTS_SANDBOX_URL", "");
    environment.put("PAYMENTS_SANDBOX_COMMAND", "node --no-such-option");
    var error = assertThrows(StartException.class, () -> SandboxServer.find(environment));
    assertContains(error.getMessage(), "node --no-such-option did not start a sandbox", "bad option",
        "set PAYMENTS_SANDBOX_URL", "PAYMENTS_SANDBOX_COMMAND");
    environment.put("PAYMENTS_SANDBOX_COMMAND", "no-such-program");
    assertContains(assertThrows(StartException.class, () -> SandboxServer.find(environment)).getMessage(),
        "no-such-program cannot be started", "set PAYMENTS_SANDBOX_URL");
  }
}
