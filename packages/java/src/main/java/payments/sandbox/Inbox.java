package payments.sandbox;

import java.util.*;
import java.util.stream.IntStream;
import payments.sandbox.Platform.*;

/** A receiver of webhooks within the sandbox. */
public final class Inbox {
  /** The URL to set as the webhook URL. */
  public final String url;
  private final Sandbox.Control control;
  private final String path;

  Inbox(Sandbox.Control control, String name) {
    this.control = control;
    path = "/inbox/" + name;
    url = control.url() + "/_sandbox" + path;
  }

  /** The webhooks that were received, oldest first. */
  public List<InboxMessage> messages() {
    return InboxPage.from(control.send("GET", path, null)).data();
  }

  /** Sets the statuses of the next responses; the last one repeats. */
  public void respond(int... statuses) {
    List<?> responses = IntStream.of(statuses).mapToObj(status -> Map.of("status", status)).toList();
    control.send("PUT", path, Map.of("responses", responses));
  }

  /** Deletes the messages and the responses. */
  public void clear() {
    control.send("DELETE", path, null);
  }
}
