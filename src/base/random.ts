/** The port of chance: every id, secret, code and address is drawn from here, so that one seed gives one history. */

/** Fills and returns `size` bytes. One `Draw` is one stream: the same seed and label give the same bytes. */
export type Draw = (size: number) => Uint8Array

/** One stream a label, so that a polling reader (`request`) never shifts the ids of charges (`transaction`). */
export interface Random {
  stream(label: string): Draw
  /** Keeps the place of every stream that can be repeated; what it returns goes back there. */
  keep(): () => void
  /** How many bytes each stream has given that can be repeated, by its label; null where chance cannot be. */
  places(): Places | null
}

export type Places = Readonly<Record<string, number>>
