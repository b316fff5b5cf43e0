package payments.sandbox;

import java.util.*;
import payments.sandbox.Platform.*;

/** The calls and the webhooks of a failed test, as text. */
final class Report {
  private static final int MOST_ROWS = 20;
  private static final int MOST_CHARACTERS = 300;

  private Report() {}

  static String of(Sandbox sandbox) {
    List<String> lines = new ArrayList<>(List.of("payments-sandbox: request log"));
    try {
      List<LoggedCall> calls = sandbox.requests.list();
      for (int i = Math.min(calls.size(), MOST_ROWS) - 1; i >= 0; i--) describe(sandbox, calls.get(i), lines);
      lines.add("payments-sandbox: webhooks");
      List<WebhookSummary> events = sandbox.webhooks();
      for (int i = Math.min(events.size(), MOST_ROWS) - 1; i >= 0; i--) describe(sandbox, events.get(i), lines);
    } catch (RuntimeException error) {
      lines.add("  cannot be read: " + error.getMessage());
    }
    return String.join("\n", lines);
  }

  private static void describe(Sandbox sandbox, LoggedCall call, List<String> lines) {
    String path = call.path().replaceFirst("^/w/[^/]+", "");
    String error = call.errorCode() == null ? "" : call.errorCode() + " ";
    lines.add("  " + call.method() + " " + path + " " + call.status() + " " + error + call.requestId());
    if (call.status() == 0 || call.status() >= 400) {
      LoggedCallDetails details = sandbox.requests.get(call.requestId());
      lines.add("    request: " + shortened(details.requestBody()));
      lines.add("    response: " + shortened(details.responseBody()));
    }
    call.warnings().forEach(warning -> lines.add("    warning: " + warning.message()));
  }

  private static void describe(Sandbox sandbox, WebhookSummary event, List<String> lines) {
    Json webhook = sandbox.control.send("GET", "/webhooks/" + event.id(), null);
    String place = event.url() == null ? "" : " to " + event.url();
    lines.add("  " + event.event() + " " + event.transactionId() + " " + event.status() + place);
    for (WebhookAttempt one : webhook.get("attempts").list(WebhookAttempt::from)) {
      String status = one.status() == null ? "" : " " + one.status();
      String answer = one.outcome() + status + " " + shortened(one.responseBody());
      lines.add("    attempt " + one.number() + ": " + answer.stripTrailing());
    }
  }

  private static String shortened(String text) {
    if (text == null) return "";
    return text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) + "…" : text;
  }
}
