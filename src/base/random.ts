/** The port of randomness: every id, secret, code and address comes from here, so that one seed gives one history. */

/** Returns `size` random bytes. One `RandomBytes` is one stream: the same seed and label give the same bytes. */
export type RandomBytes = (size: number) => Uint8Array

/** One stream for each label, so that reads (`request`) never shift the ids of charges (`transaction`). */
export interface Random {
  stream(label: string): RandomBytes
  /** Saves the position of each seeded stream; call the result to rewind. */
  savePositions(): () => void
  /** Bytes that each seeded stream has produced, by label; null without a seed. */
  positions(): StreamPositions | null
}

export type StreamPositions = Readonly<Record<string, number>>
