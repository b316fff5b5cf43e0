/** The errors that callers see: each has a name that bundling does not change, and a stable `code`. */

/** Sets a name that a minifier does not change, for `error.name`, stack traces and `constructor.name`. */
function nameClass(errorClass: { prototype: Error }, name: string): void {
  Object.defineProperty(errorClass, 'name', { value: name })
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true })
}

/** The sandbox rejected the call: `code` and `details` come from its error body (interface.md §7). */
export class SandboxError extends Error {
  static {
    nameClass(SandboxError, 'SandboxError')
  }

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** Such as `INVALID_TRANSITION`. */
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown>,
    /** The id for `GET /_sandbox/requests/{id}`; null if the answer had none. */
    readonly requestId: string | null,
    /** `auth`, `signature`, `validation`, `limits`, `business` or `system`. */
    readonly group = 'business',
    /** Whether the same call may succeed later. */
    readonly retryable = false,
  ) {
    super(message)
  }
}

/**
 * Nothing answers at that address, or something that is not a sandbox (`UNREACHABLE`), or the sandbox object was closed
 * (`SANDBOX_CLOSED`). `cause` is the network error, if there was one.
 */
export class UnreachableError extends Error {
  static {
    nameClass(UnreachableError, 'UnreachableError')
  }

  readonly code: 'UNREACHABLE' | 'SANDBOX_CLOSED'

  constructor(message: string, options: ErrorOptions & { code?: UnreachableError['code'] } = {}) {
    super(message, options)
    this.code = options.code ?? 'UNREACHABLE'
  }
}

/** An invalid argument of a library function; nothing was sent. */
export class UsageError extends TypeError {
  static {
    nameClass(UsageError, 'UsageError')
  }

  readonly code = 'INVALID_ARGUMENT'
}

/** A sandbox or a receiver could not be started; `cause` is the error of the system. */
export class StartError extends Error {
  static {
    nameClass(StartError, 'StartError')
  }

  constructor(
    /** Such as `PORT_UNUSABLE` or `SNAPSHOT_UNUSABLE`. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
