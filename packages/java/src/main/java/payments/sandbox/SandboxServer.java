package payments.sandbox;

import java.io.File;
import java.io.IOException;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.Stream;
import payments.sandbox.Sandbox.Control;

/** A running sandbox, in which tests create workspaces. */
public final class SandboxServer implements AutoCloseable {
  /** The control API of the default workspace. */
  public final Control control;
  private final Process process;

  private SandboxServer(String url, String adminToken, Process process) {
    // A workspace is created beside the one that the URL names.
    this.control = new Control(url.replaceFirst("(/w/.*|/)$", ""), adminToken);
    this.process = process;
  }

  /** The sandbox that {@code PAYMENTS_SANDBOX_URL} names; starts one if it is not set. */
  public static SandboxServer find(Map<String, String> environment) {
    String url = environment.getOrDefault("PAYMENTS_SANDBOX_URL", "");
    if (url.isEmpty()) return start(environment);
    return new SandboxServer(url, environment.get("PAYMENTS_SANDBOX_ADMIN_TOKEN"), null);
  }

  /** Starts a sandbox on a free port, in memory. It stops with this virtual machine, even if that is killed. */
  public static SandboxServer start(Map<String, String> environment) {
    StringBuffer errors = new StringBuffer();
    List<String> command = new ArrayList<>();
    Process process = launch(environment, command);
    Thread forwarding = forward(process, errors);
    // npx may download the package first.
    String line = CompletableFuture.supplyAsync(() -> process.inputReader().lines().findFirst().orElse(""))
        .completeOnTimeout("", 120, TimeUnit.SECONDS).join();
    if (line.startsWith("PAYMENTS_SANDBOX_URL="))
      return new SandboxServer(line.split("=", 2)[1], environment.get("PAYMENTS_SANDBOX_ADMIN_TOKEN"), process);
    stop(process);
    try {
      forwarding.join(1000);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    throw new StartException(String.join(" ", command) + " did not start a sandbox: " + (line + errors).strip(), null);
  }

  /** Starts the named program, or a usual one, beside a shell that waits for the end of its input: it ends with us. */
  private static Process launch(Map<String, String> environment, List<String> started) {
    String end = File.separatorChar == '\\' ? ".cmd" : "";
    List<String> hold = !end.isEmpty() ? List.of("cmd", "/c", "set PAYMENTS_SANDBOX_URL & sort")
        : List.of("sh", "-c", "echo \"PAYMENTS_SANDBOX_URL=$PAYMENTS_SANDBOX_URL\"; exec cat");
    String named = environment.getOrDefault("PAYMENTS_SANDBOX_COMMAND", "");
    List<String> given = new File(named).isFile() ? List.of(named) : List.of(named.split(" +"));
    List<List<String>> all = new ArrayList<>(List.of(named.isEmpty() ? List.of("payments-sandbox" + end) : given));
    if (named.isEmpty() && !Platform.NPX.isEmpty()) {
      List<String> npx = new ArrayList<>(Platform.NPX);
      npx.set(0, npx.get(0) + end);
      all.add(npx);
    }
    IOException missing = null;
    for (List<String> words : all) {
      List<String> command = new ArrayList<>(words);
      command.addAll(List.of("exec", "--clock", "manual", "--"));
      command.addAll(hold);
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().putAll(environment);
      try {
        Process process = builder.start();
        started.addAll(words);
        return process;
      } catch (IOException notThere) {
        // The next one may exist.
        missing = notThere;
      }
    }
    List<String> tried = all.stream().map(words -> String.join(" ", words)).toList();
    throw new StartException("there is no sandbox: " + String.join(" and ", tried) + " cannot be started", missing);
  }

  /** Passes on what the program reports, and keeps the beginning for the message of a failed start. */
  private static Thread forward(Process process, StringBuffer errors) {
    Thread thread = new Thread(() -> process.errorReader().lines().forEach(line -> {
      System.err.println(line);
      if (errors.length() < 2000) errors.append(line).append('\n');
    }), "payments-sandbox errors");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Creates a workspace: a sandbox of its own, with a clock that stands still. */
  public Sandbox createWorkspace() {
    Map<String, String> body = Map.of("name", "junit-" + UUID.randomUUID().toString().substring(0, 13));
    return new Sandbox(Platform.Workspace.from(control.send("POST", "/workspaces", body)), control);
  }

  /** Stops the sandbox if this object started it. */
  @Override
  public void close() {
    if (process != null) stop(process);
  }

  /** Closes the standard input, which ends the sandbox. If it does not end, ends the processes that were started. */
  private static void stop(Process process) {
    try {
      process.getOutputStream().close();
      process.onExit().get(15, TimeUnit.SECONDS);
    } catch (Exception error) {
      Stream.concat(process.descendants(), Stream.of(process.toHandle())).forEach(ProcessHandle::destroyForcibly);
    }
  }
}
