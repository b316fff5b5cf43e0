/** The fields that our recordings add to HAR 1.2, which allows names with a leading underscore. */

export const harFields = {
  /** On an entry: a webhook. */
  webhook: '_webhook',
  /** On the log: number of parts that were not written. */
  omitted: '_omitted',
} as const

/** The text is not a recording; the message is for the user. */
export class NotHar extends Error {
  constructor(
    message: string,
    /** A field beside the log. */
    readonly field: string | null = null,
  ) {
    super(message)
  }
}

/** Larger recordings must be split. */
export const maxHarBytes = 64 * 1024 * 1024
/** A longer body of a call or an answer is omitted. */
export const maxHarBodyChars = 4 * 1024 * 1024
