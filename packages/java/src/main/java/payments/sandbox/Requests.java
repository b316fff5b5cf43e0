package payments.sandbox;

import java.util.List;
import payments.sandbox.Platform.*;

/** The request log: the calls of your code, and expectations about them. */
public final class Requests extends Calls.RequestCalls {
  private final Sandbox.Control control;

  Requests(Sandbox.Control control) {
    this.control = control;
  }

  @Override
  Sandbox.Control control() {
    return control;
  }

  /**
   * Returns the number of calls that match. Without {@code times} at least one must.
   *
   * @throws SandboxException with {@code CONFLICT}; its message says how similar calls differ
   */
  public int expect(ExpectedCall call) {
    int matched = verify(call).matched();
    return matched > 0 || call.fields.containsKey("times") ? matched : verify(call.times(1)).matched();
  }

  /** The calls that were rejected with a 4xx, newest first. */
  public List<LoggedCall> unexpected() {
    return list().stream().filter(call -> call.status() / 100 == 4).toList();
  }

  /** The calls that are probably mistakes, newest first. */
  public List<LoggedCall> warnings() {
    return list(new RequestFilter().warnings("true"));
  }
}
