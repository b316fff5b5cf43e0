package payments.sandbox;

/** No sandbox could be started. The message has the command, its output, and what to do. */
@SuppressWarnings("serial")
public final class StartException extends RuntimeException {
  StartException(String problem, Throwable cause) {
    super(problem + "; set PAYMENTS_SANDBOX_URL to a running sandbox, or PAYMENTS_SANDBOX_COMMAND to the program", cause);
  }
}
