/** Inboxes: receivers for those who have none yet. In memory, bounded, gone with a reset. */

export interface InboxMessage {
  headers: Record<string, string>
  /** The text exactly as it came. */
  raw: string
  /** Against the secret of the credential that the event belongs to; null where the message bears no signature. */
  signatureValid: boolean | null
  /** Business time, epoch milliseconds. */
  receivedAtMs: number
}

export interface KeptMessage extends InboxMessage {
  seq: number
}

/** `delayMs` of real time, before the answer. */
export interface InboxResponse {
  status: number
  delayMs: number
}

export const inboxLimits = { inboxes: 100, messages: 1000, chars: 8 * 1024 * 1024 } as const

interface Box {
  messages: KeptMessage[]
  responses: readonly InboxResponse[]
  /** How many of the responses have been given. */
  given: number
}

export interface Inboxes {
  /** Keeps a message and tells how to answer it. */
  receive(name: string, message: InboxMessage): InboxResponse
  /** In order of arrival, those after `afterSeq`. */
  list(name: string, afterSeq: number, limit: number): KeptMessage[]
  respond(name: string, responses: readonly InboxResponse[]): void
  /** As if it had never been used. */
  empty(name: string): void
  clear(): void
}

const accepted: InboxResponse = { status: 200, delayMs: 0 }

/** Over its bounds, what came first is dropped first: of all inboxes together, since one may be the loud one. */
export function createInboxes(): Inboxes {
  const boxes = new Map<string, Box>()
  let lastSeq = 0
  let chars = 0

  const open = (name: string): Box => {
    const box = boxes.get(name) ?? { messages: [], responses: [], given: 0 }
    boxes.delete(name)
    boxes.set(name, box)
    while (boxes.size > inboxLimits.inboxes) drop([...boxes.keys()][0] ?? '')
    return box
  }
  const drop = (name: string) => {
    for (const message of boxes.get(name)?.messages ?? []) chars -= sizeOf(message)
    boxes.delete(name)
  }
  const dropOldest = () => {
    const used = [...boxes.values()].filter((box) => box.messages.length > 0)
    const oldest = used.sort((a, b) => (a.messages[0]?.seq ?? 0) - (b.messages[0]?.seq ?? 0))[0]?.messages.shift()
    if (oldest !== undefined) chars -= sizeOf(oldest)
  }
  return {
    receive(name, message) {
      const box = open(name)
      const kept = { ...message, seq: ++lastSeq }
      box.messages.push(kept)
      chars += sizeOf(kept)
      if (box.messages.length > inboxLimits.messages) chars -= sizeOf(box.messages.shift() ?? kept)
      while (chars > inboxLimits.chars) dropOldest()
      return box.responses[Math.min(box.given++, box.responses.length - 1)] ?? accepted
    },
    list: (name, afterSeq, limit) =>
      (boxes.get(name)?.messages ?? []).filter((message) => message.seq > afterSeq).slice(0, limit),
    respond(name, responses) {
      Object.assign(open(name), { responses, given: 0 })
    },
    empty: drop,
    clear() {
      boxes.clear()
      chars = 0
    },
  }
}

function sizeOf({ headers, raw }: InboxMessage): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, raw.length + 100)
}
