package payments.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import payments.sandbox.Platform.Action;
import payments.sandbox.Platform.CashinConfirmedData;
import payments.sandbox.Platform.CashinRequest;
import payments.sandbox.Platform.CashinRequestPayer;
import payments.sandbox.Platform.CashinResponse;
import payments.sandbox.Platform.CashoutRequest;
import payments.sandbox.Platform.Credential;
import payments.sandbox.Platform.Currency;
import payments.sandbox.Platform.ErrorCode;
import payments.sandbox.Platform.Event;
import payments.sandbox.Platform.InboxMessage;

/** The behaviours that all packages share: {@code packages/behaviours.md} lists them by these numbers. */
@ExtendWith({BehavioursTest.DeletedCheck.class, SandboxExtension.class})
class BehavioursTest {
  private static final String SCENARIO = """
      name: paid-then-refunded
      title: A charge is paid and refunded
      steps:
        - create: { cashin: { amount: 10, currency: BRL }, as: charge }
        - cashin.pay
        - cashin.refund
        - expect: { status: refunded, id: "${charge}" }
      """;

  private static final Set<String> SEEN = new HashSet<>();
  private static Sandbox toBeDeleted;

  /** Registered before the extension, so it runs after it. */
  static final class DeletedCheck implements AfterEachCallback {
    @Override
    public void afterEach(ExtensionContext context) {
      Sandbox deleted = toBeDeleted;
      toBeDeleted = null;
      if (deleted != null) assertFalse(workspaces(serverOf(deleted)).contains(deleted.name));
    }
  }

  private static Map<String, String> environment(String url) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("PAYMENTS_SANDBOX_URL", url);
    return environment;
  }

  /** The sandbox that the extension shares between tests. */
  private static SandboxServer serverOf(Sandbox sandbox) {
    return SandboxServer.find(environment(sandbox.url));
  }

  private static CashinRequest order(String amount, String externalId) {
    return new CashinRequest().amount(amount).currency(Currency.BRL).externalId(externalId);
  }

  private static CashinResponse charge(Sandbox sandbox) {
    return sandbox.client().cashin(order("25.00", "order-1"));
  }

  private static List<Json> requests(Sandbox sandbox, String path) {
    return sandbox.control.send("GET", "/requests?limit=100", null).get("data").list(row -> row).stream()
        .filter(row -> row.get("path").text().endsWith(path)).toList();
  }

  private static Set<String> workspaces(SandboxServer server) {
    return Set.copyOf(server.control.send("GET", "/workspaces", null).get("data").list(row -> row.get("name").text()));
  }

  private record Received(byte[] body, Map<String, List<String>> headers, String secret) {}

  /** A webhook as a receiver gets it. */
  private static Received received(Sandbox sandbox) {
    sandbox.client().cashin(order("25.00", "order-1").postbackUrl(sandbox.inbox("tests").url));
    sandbox.trigger(Action.CASHIN_PAY, "order-1");
    sandbox.waitFor(EventType.CASHIN_CONFIRMED, "order-1");
    InboxMessage message = sandbox.inbox("tests").messages().get(0);
    Map<String, List<String>> headers = message.headers().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, row -> List.of(row.getValue())));
    return new Received(message.raw().getBytes(UTF_8), headers, sandbox.credential("merchant").webhookSecret());
  }

  private static String rejected(Received webhook, byte[] body, String secret, Instant now) {
    return assertThrows(Signatures.Rejected.class,
        () -> Signatures.verify(body, webhook.headers, secret, Duration.ofMinutes(5), now)).getMessage();
  }

  @Test
  @DisplayName("1. uses the sandbox that the variable names, and leaves it running")
  void usesTheNamedSandbox(Sandbox sandbox) {
    SandboxServer found = serverOf(sandbox);
    try (Sandbox workspace = found.createWorkspace()) {
      assertTrue(workspace.url.startsWith(found.control.url() + "/w/"));
    }
    found.close();
    assertEquals("ok", sandbox.control.send("GET", "/health", null).get("status").text());
  }

  @Test
  @DisplayName("2. starts a sandbox if none is named, and stops it at the end")
  void startsASandbox(Sandbox sandbox) {
    SandboxServer started = SandboxServer.find(environment(""));
    assertFalse(sandbox.url.startsWith(started.control.url()));
    assertEquals("ok", started.control.send("GET", "/health", null).get("status").text());
    started.close();
    assertThrows(UncheckedIOException.class, () -> started.control.send("GET", "/health", null));
  }

  @RepeatedTest(value = 2, name = "{displayName} ({currentRepetition})")
  @DisplayName("3. gives each test a workspace of its own")
  void givesAWorkspace(Sandbox sandbox) {
    assertTrue(SEEN.add(sandbox.name));
    charge(sandbox);
    assertEquals(1, sandbox.client().transactionList(new Platform.TransactionListRequest()).items().size());
  }

  @Test
  @DisplayName("4. deletes the workspace after the test")
  void deletesTheWorkspace(Sandbox sandbox) {
    assertTrue(workspaces(serverOf(sandbox)).contains(sandbox.name));
    toBeDeleted = sandbox;
  }

  @Test
  @DisplayName("5. fetches one token and reuses it")
  void reusesTheToken(Sandbox sandbox) {
    charge(sandbox);
    sandbox.client().balance();
    sandbox.client().profile();
    assertEquals(1, requests(sandbox, "/oauth/token").size());
  }

  @Test
  @DisplayName("6. fetches a new token after 401")
  void fetchesANewToken(Sandbox sandbox) {
    charge(sandbox);
    sandbox.advance(Duration.ofHours(2));
    assertEquals("order-2", sandbox.client().cashin(order("25.00", "order-2")).externalId());
    assertEquals(2, requests(sandbox, "/oauth/token").size());
    assertEquals("TOKEN_EXPIRED", requests(sandbox, "/cashin").get(1).get("error_code").text());
  }

  @Test
  @DisplayName("7. signs a withdrawal")
  void signsAWithdrawal(Sandbox sandbox) {
    CashoutRequest request = new CashoutRequest().amount(100).currency("BRL").key("52998224725").externalId("payout-1");
    assertEquals("pending", sandbox.client().cashout(request).status());
    Credential right = sandbox.credential("merchant");
    Credential wrong = new Credential(right.clientId(), right.clientSecret(), "another", right.webhookSecret(), null, true);
    ApiClient client = new ApiClient(sandbox.url, wrong);
    assertEquals(ErrorCode.INVALID_SIGNATURE, assertThrows(SandboxException.class, () -> client.cashout(request)).code);
  }

  @Test
  @DisplayName("8. creates a charge and returns a typed result")
  void createsACharge(Sandbox sandbox) {
    CashinRequestPayer payer = new CashinRequestPayer().name("Ana Souza").document("52998224725");
    CashinResponse created = sandbox.client().cashin(order("25.00", "order-1").payer(payer));
    assertEquals("pending", created.status());
    assertTrue(created.paymentInfo().qrcode().startsWith("000201"));
    assertNull(created.paymentInfo().clabe());
  }

  @Test
  @DisplayName("9. triggers the payment of a charge")
  void triggersThePayment(Sandbox sandbox) {
    charge(sandbox);
    var triggered = sandbox.trigger(Action.CASHIN_PAY, Map.of("payer", Map.of("name", "Maria Souza")));
    assertEquals("confirmed", triggered.object().status());
    assertEquals("Maria Souza", triggered.object().payer().name());
    assertEquals("cashin.confirmed", triggered.events().get(0).event());
  }

  @Test
  @DisplayName("10. waits for a webhook and returns its event")
  void waitsForAWebhook(Sandbox sandbox) {
    sandbox.setWebhookUrl("merchant", sandbox.inbox("tests").url);
    charge(sandbox);
    sandbox.trigger(Action.CASHIN_PAY, "order-1");
    var webhook = sandbox.waitFor(EventType.CASHIN_CONFIRMED, "order-1");
    assertEquals("delivered", webhook.status());
    assertEquals(200, webhook.attempts().get(0).status());
    assertEquals("order-1", webhook.data().externalId());
  }

  @Test
  @DisplayName("11. verifies the signature of a webhook over the raw body")
  void verifiesASignature(Sandbox sandbox) throws Exception {
    Received webhook = received(sandbox);
    Event<?> event = Signatures.verify(webhook.body, webhook.headers, webhook.secret);
    assertEquals("order-1", assertInstanceOf(CashinConfirmedData.class, event.data()).externalId());
    byte[] spaced = new String(webhook.body, UTF_8).replaceFirst(":", ": ").getBytes(UTF_8);
    assertEquals("signature_mismatch", rejected(webhook, spaced, webhook.secret, Instant.now()));
  }

  @Test
  @DisplayName("12. rejects a changed body and a wrong secret, with a comparison in constant time")
  void rejectsAChangedBody(Sandbox sandbox) throws Exception {
    Received webhook = received(sandbox);
    byte[] changed = new String(webhook.body, UTF_8).replace("25.00", "26.00").getBytes(UTF_8);
    assertEquals("signature_mismatch", rejected(webhook, changed, webhook.secret, Instant.now()));
    assertEquals("signature_mismatch", rejected(webhook, webhook.body, "whsec_wrong", Instant.now()));
    assertEquals("missing_secret", rejected(webhook, webhook.body, "", Instant.now()));
    Received unsigned = new Received(webhook.body, Map.of(), webhook.secret);
    assertEquals("missing_signature", rejected(unsigned, webhook.body, webhook.secret, Instant.now()));
    // The comparison itself cannot be observed from a test, so the source is read.
    String source = Files.readString(Path.of("src/main/java/payments/sandbox/Signatures.java"));
    assertTrue(source.contains("MessageDigest.isEqual(signature"));
  }

  @Test
  @DisplayName("13. rejects a webhook with an old timestamp")
  void rejectsAnOldTimestamp(Sandbox sandbox) throws Exception {
    Received webhook = received(sandbox);
    Instant later = Instant.now().plusSeconds(400);
    assertEquals("stale_timestamp", rejected(webhook, webhook.body, webhook.secret, later));
    Signatures.verify(webhook.body, webhook.headers, webhook.secret, Duration.ofSeconds(500), later);
  }

  @Test
  @DisplayName("14. advances the clock until a charge expires")
  void advancesTheClock(Sandbox sandbox) {
    charge(sandbox);
    Instant before = sandbox.now();
    assertTrue(sandbox.advance(Duration.ofHours(1)).complete());
    assertEquals(Duration.ofHours(1), Duration.between(before, sandbox.now()));
    assertEquals("expired", sandbox.waitFor(EventType.CASHIN_EXPIRED, "order-1").data().status());
  }

  @Test
  @DisplayName("15. arms a built-in scenario")
  void armsAScenario(Sandbox sandbox) {
    sandbox.arm("provider-error", 1);
    assertEquals(ErrorCode.PROVIDER_ERROR, assertThrows(SandboxException.class, () -> charge(sandbox)).code);
    assertEquals("pending", charge(sandbox).status());
    ApiClient slow = sandbox.client().withScenario("provider-error");
    assertThrows(SandboxException.class, () -> slow.cashin(order("25.00", "order-2")));
  }

  @Test
  @DisplayName("16. uploads a scenario and runs it")
  void uploadsAScenario(Sandbox sandbox) {
    assertEquals("paid-then-refunded", sandbox.upload(SCENARIO).name());
    var run = sandbox.run("paid-then-refunded");
    assertEquals("passed", run.status());
    assertEquals(4, run.steps().size());
  }

  @Test
  @DisplayName("17. raises an API error with status, code, message, details and request id")
  void raisesAnError(Sandbox sandbox) {
    CashinRequest request = order("25.00", "order-1").currency("EUR");
    SandboxException error = assertThrows(SandboxException.class, () -> sandbox.client().cashin(request));
    assertEquals(ErrorCode.INVALID_CURRENCY, error.code);
    assertEquals(ErrorCode.INVALID_CURRENCY.status, error.status);
    assertTrue(error.getMessage().startsWith("INVALID_CURRENCY (422): "));
    assertTrue(error.details.get("supported").list(Json::text).contains("BRL"));
    Json logged = sandbox.control.send("GET", "/requests/" + error.requestId, null);
    assertEquals("INVALID_CURRENCY", logged.get("error_code").text());
    assertFalse(error.retryable);
  }

  @Test
  @DisplayName("18. says what happened instead when a wait for a webhook times out")
  void explainsATimeout(Sandbox sandbox) {
    String id = charge(sandbox).transactionId();
    sandbox.trigger(Action.CASHIN_EXPIRE, id);
    Map<String, String> filter = Map.of("external_id", "order-1");
    SandboxException error = assertThrows(SandboxException.class,
        () -> sandbox.waitFor(EventType.CASHIN_CONFIRMED, filter, Duration.ofMillis(50)));
    assertEquals(ErrorCode.WAIT_TIMEOUT, error.code);
    assertTrue(error.getMessage().contains("for cashin.confirmed of {external_id=order-1}"), error.getMessage());
    assertTrue(error.getMessage().contains("cashin.expired of " + id), error.getMessage());
  }

  @Test
  @DisplayName("19. returns the same charge when a request repeats its external_id")
  void returnsTheSameCharge(Sandbox sandbox) {
    assertEquals(charge(sandbox).transactionId(), charge(sandbox).transactionId());
    CashinRequest other = order("26.00", "order-1");
    assertEquals(ErrorCode.DUPLICATE_EXTERNAL_ID, assertThrows(SandboxException.class, () -> sandbox.client().cashin(other)).code);
  }

  @Test
  @DisplayName("20. keeps amounts as exact decimals")
  void keepsAmountsExact(Sandbox sandbox) {
    CashinResponse created = sandbox.client().cashin(order("1234.57", "order-1"));
    assertEquals(new BigDecimal("1234.57"), created.amount());
    assertEquals(new BigDecimal("12.35"), created.fee());
    Json logged = sandbox.control.send("GET", "/requests/" + requests(sandbox, "/cashin").get(0).get("request_id").text(), null);
    assertTrue(logged.get("request_body").text().contains("\"amount\":1234.57"));
    assertThrows(IllegalArgumentException.class, () -> sandbox.trigger(Action.CASHIN_PAY, Map.of("amount", 0.1)));
  }
}
