/** The errors that callers see: each has its name, however it is bundled, and a stable `code`. */

/** A name that a minifier does not change, for `error.name`, stack traces and `constructor.name`. */
function nameClass(errorClass: { prototype: Error }, name: string): void {
  Object.defineProperty(errorClass, 'name', { value: name })
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true })
}

/** The sandbox said no: `code` and `details` are those of its error body (§7). */
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

/**
 * Nothing answers at that address, or something that is no sandbox (`UNREACHABLE`), or the sandbox object was closed
 * (`SANDBOX_CLOSED`). `cause` is the error of the network, if there was one.
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

/** A value that a function of the library cannot take; nothing was sent. */
export class UsageError extends TypeError {
  static {
    nameClass(UsageError, 'UsageError')
  }

  readonly code = 'INVALID_ARGUMENT'
}

/** A sandbox or a receiver that could not be started; `cause` is what the system reported. */
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
