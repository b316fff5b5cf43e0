/** Headers in the order and case in which they came. */

export type Pairs = [name: string, value: string][]

export function pairsOf(raw: readonly string[]): Pairs {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? ''])
}

/** Removes the headers that concern one connection. The framing of a body is the same on both sides. */
export function forwarded(pairs: Pairs): Pairs {
  const connectionHeaders = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])
  for (const [name, value] of pairs)
    if (name.toLowerCase() === 'connection')
      for (const one of value.split(',')) connectionHeaders.add(one.trim().toLowerCase())
  connectionHeaders.delete('transfer-encoding')
  connectionHeaders.delete('content-length')
  return pairs.filter(([name]) => !connectionHeaders.has(name.toLowerCase()))
}

export function withHost(pairs: Pairs, { host }: URL): Pairs {
  return [['Host', host], ...pairs.filter(([name]) => name.toLowerCase() !== 'host')]
}
