package payments.sandbox;

import payments.sandbox.Platform.Chaos;

/** Random faults of calls and webhooks, the same for the same seed. */
public final class ChaosSettings extends Calls.ChaosCalls {
  private final Sandbox.Control control;

  ChaosSettings(Sandbox.Control control) {
    this.control = control;
  }

  @Override
  Sandbox.Control control() {
    return control;
  }

  /** Injects the faults of a preset: {@code gentle}, {@code rough} or {@code off}. */
  public Chaos preset(String name) {
    String faults = Platform.CHAOS_PRESETS.get(name);
    if (faults == null) throw new IllegalArgumentException("the presets are gentle, rough and off, not " + name);
    return Chaos.from(control.send("PUT", "/chaos", Json.parse(faults)));
  }
}
