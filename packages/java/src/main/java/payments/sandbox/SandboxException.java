package payments.sandbox;

/** The sandbox rejected a request. */
@SuppressWarnings("serial")
public final class SandboxException extends RuntimeException {
  /** The HTTP status. */
  public final int status;
  /** The code; null if this version does not know it. The message has it in any case. */
  public final Platform.ErrorCode code;
  /** What the sandbox says about the error, by name. */
  public final Json details;
  /** The id of the request in the request log; null if there is none. */
  public final String requestId;
  /** Whether the same request can succeed later. */
  public final boolean retryable;

  SandboxException(int status, Json error, String message, String requestId) {
    super(error.get("code").text() + " (" + status + "): " + message + " " + Json.write(error.get("details")));
    this.status = status;
    this.code = error.get("code").oneOf(Platform.ErrorCode.class);
    this.details = error.get("details");
    this.requestId = requestId;
    this.retryable = Boolean.TRUE.equals(error.get("retryable").bool());
  }
}
