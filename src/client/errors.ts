/** How a call to a sandbox can go wrong: the sandbox said no, or nothing answered that is one. */

/** The sandbox said no: `code` and `details` are those of its error body (§7). */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** Such as `INVALID_TRANSITION`. */
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown>,
    /** What `GET /_sandbox/requests/{id}` knows the call by; null where the answer had none. */
    readonly requestId: string | null,
    /** `auth`, `signature`, `validation`, `limits`, `business` or `system`. */
    readonly group = 'business',
    /** Whether the same call may succeed later. */
    readonly retryable = false,
  ) {
    super(message)
  }
}

/** Nothing answers at that address, or something that is no sandbox. `cause` is the error of the network, where there was one. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}
