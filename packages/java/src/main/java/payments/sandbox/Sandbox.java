package payments.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import payments.sandbox.Platform.*;

/** A workspace: a sandbox of its own, with database, clock, accounts and webhooks. Each test gets one. */
public final class Sandbox extends Calls.WorkspaceCalls implements AutoCloseable {
  /** The base URL for your code. */
  public final String url;
  /** The name of the workspace. */
  public final String name;
  /** The control API, for what this class has no method for. */
  public final Control control;
  /** The request log of the platform API. */
  public final Requests requests;
  /** Random faults. */
  public final ChaosSettings chaos;
  private final List<Account> accounts;
  private final Control parent;
  private final Map<String, ApiClient> clients = new ConcurrentHashMap<>();

  /** The control API of one workspace. */
  public record Control(String url, String adminToken) {
    /** Sends a request. {@code path} begins after {@code /_sandbox}; a text as {@code body} is sent as YAML. */
    public Json send(String method, String path, Object body) {
      Map<String, String> headers = new HashMap<>();
      if (adminToken != null) headers.put(Platform.ADMIN_TOKEN_HEADER, adminToken);
      if (body != null) headers.put("Content-Type", "application/" + (body instanceof String ? "yaml" : "json"));
      String text = body instanceof String yaml ? yaml : Json.write(body);
      return Wire.send(method, url + "/_sandbox" + path, headers, body == null ? null : text.getBytes(UTF_8));
    }
  }

  Sandbox(Workspace workspace, Control parent) {
    this.parent = parent;
    name = workspace.name();
    url = workspace.baseUrl();
    accounts = workspace.accounts();
    control = new Control(url, workspace.adminToken() == null ? parent.adminToken() : workspace.adminToken());
    requests = new Requests(control);
    chaos = new ChaosSettings(control);
    control.send("PUT", "/clock", Map.of("mode", "manual"));
  }

  @Override
  Control control() {
    return control;
  }

  /** Returns to the state right after the workspace was created: the clock stands still. */
  public void reset() {
    control.send("POST", "/reset", null);
    control.send("PUT", "/clock", Map.of("mode", "manual"));
  }

  /** The secrets of an account, such as {@code merchant} or {@code customer}. */
  public Credential credential(String username) {
    return accounts.stream().filter(account -> account.username().equals(username)).findFirst()
        .orElseGet(() -> account(username)).credentials().get(0);
  }

  /** The client of the account {@code merchant}. It fetches one token and reuses it. */
  public ApiClient client() {
    return client("merchant");
  }

  /** The client of an account. */
  public ApiClient client(String username) {
    return clients.computeIfAbsent(username, key -> new ApiClient(url, credential(key)));
  }

  /** Triggers an action on an object, by its id or {@code external_id}. */
  public Triggered trigger(Action action, String id) {
    return trigger(action, Map.of("id", id));
  }

  /** Triggers an action with parameters; without {@code id}, on the newest object that allows the action. */
  public Triggered trigger(Action action, Map<String, ?> parameters) {
    Map<String, Object> body = new HashMap<>(parameters);
    body.put("action", action.wireName);
    return Triggered.from(control.send("POST", "/trigger", body));
  }

  /** The time of the workspace. It stands still until it is advanced. */
  public Instant now() {
    return Instant.parse(control.send("GET", "/clock", null).get("now").text());
  }

  /** Advances the clock. Returns when everything that was due has run, webhooks and their responses included. */
  public Advanced advance(Duration by) {
    return Advanced.from(control.send("POST", "/clock/advance", Map.of("by", by.toMillis() + "ms")));
  }

  /** Waits at most five seconds for an event of the object with this {@code external_id}. */
  public <T> Webhook<T> waitFor(EventType<T> event, String externalId) {
    return waitFor(event, Map.of("external_id", externalId), Duration.ofSeconds(5));
  }

  /**
   * Waits for the newest event that was acknowledged or has no webhook URL.
   *
   * @param filter {@code external_id} or {@code transaction_id}; empty for any object
   * @throws SandboxException with the events that happened instead, after {@code timeout}
   */
  public <T> Webhook<T> waitFor(EventType<T> event, Map<String, String> filter, Duration timeout) {
    Map<String, String> query = new HashMap<>(filter);
    query.putAll(Map.of("event", event.name, "status", "settled", "timeout", timeout.toMillis() + "ms"));
    try {
      Json found = control.send("GET", "/webhooks/wait?" + ApiClient.query(query), null);
      Webhook<T> webhook = Webhook.from(found, event.read(Json.parse(found.get("body").text())));
      if (webhook.url() == null || !webhook.status().equals("failed")) return webhook;
      throw new IllegalStateException(event + " could not be delivered to " + webhook.url() + webhook.attempts());
    } catch (SandboxException error) {
      if (error.code != ErrorCode.WAIT_TIMEOUT) throw error;
      Json fields = new Json(Map.of("code", error.code.name(), "details", error.details));
      String about = timeout.toMillis() + " ms for " + event + " of " + filter;
      String message = "waited " + about + "; events: " + happened();
      throw new SandboxException(error.status, fields, message, error.requestId);
    }
  }

  /** The newest events with their delivery, newest first. */
  public List<WebhookSummary> webhooks() {
    return WebhookPage.from(control.send("GET", "/webhooks?limit=100", null)).data();
  }

  List<String> happened() {
    return webhooks().stream()
        .map(row -> row.event() + " of " + row.transactionId() + " (" + row.status() + ")").toList();
  }

  /** Sends the webhooks of an account to this URL. */
  public void setWebhookUrl(String username, String webhookUrl) {
    control.send("PATCH", "/credentials/" + credential(username).clientId(), Map.of("postback_url", webhookUrl));
  }

  /** A receiver of webhooks within the sandbox, for code that has none of its own. */
  public Inbox inbox(String name) {
    return new Inbox(control, name);
  }

  /** Lets a scenario affect the next requests that match its {@code on}. */
  public void arm(String scenario, int times) {
    control.send("POST", "/scenarios/" + scenario + "/arm", Map.of("times", times));
  }

  /** Uploads a scenario: YAML text. */
  public Scenario upload(String yaml) {
    return Scenario.from(control.send("POST", "/scenarios", yaml));
  }

  /** Runs a scenario to its end; the clock advances from step to step. Check the status of the result. */
  public Run run(String scenario) {
    return Run.from(control.send("POST", "/scenarios/" + scenario + "/run", Map.of("fast_forward", true)));
  }

  /** Deletes the workspace with everything in it. */
  @Override
  public void close() {
    parent.send("DELETE", "/workspaces/" + name, null);
  }
}
