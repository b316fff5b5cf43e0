/** Where webhooks may go: what kind of address an address is, and which kinds the sender refuses. */

export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link_local'
  | 'shared'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'reserved'

/** The IPv4 address that an IPv6 address carries begins this many bits from its right end. */
type Carries = { readonly shift: bigint }

/** First match wins. IPv4 is read as `::ffff:a.b.c.d`, so one table serves every notation. */
const ranges = [
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  ['169.254.169.254', 32, 'metadata'],
  ['100.100.100.200', 32, 'metadata'],
  ['168.63.129.16', 32, 'reserved'],
  ['192.0.0.192', 32, 'metadata'],
  ['fd00:ec2::', 32, 'metadata'],
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link_local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
  ['0.0.0.0', 0, 'public'],
  ['::', 96, { shift: 0n }],
  ['::ffff:0:0:0', 96, { shift: 0n }],
  ['64:ff9b::', 96, { shift: 0n }],
  ['64:ff9b:1::', 48, 'private'],
  ['2002::', 16, { shift: 80n }],
  ['fc00::', 7, 'private'],
  ['fec0::', 10, 'private'],
  ['fe80::', 10, 'link_local'],
  ['ff00::', 8, 'multicast'],
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['2000::', 3, 'public'],
] as const satisfies readonly (readonly [string, number, AddressKind | Carries])[]

const mappedPrefix = 0xffffn << 32n
const rows = ranges.map(([address, bits, kind]) => {
  const shift = BigInt((address.includes(':') ? 128 : 32) - bits)
  return { shift, prefix: (parseAddress(address) ?? 0n) >> shift, kind }
})

/** Kinds of address that plain `http://` may go to (decision 31). */
const httpKinds: ReadonlySet<AddressKind> = new Set([
  'loopback',
  'private',
  'link_local',
  'shared',
  'metadata',
  'unspecified',
])

export interface Refusal {
  outcome: 'refused' | 'insecure_url'
  detail: string
}
export interface GuardRules {
  /** Refuse every address that is not public: for a sandbox that others can reach. */
  guardPrivate: boolean
  /** Names and addresses that `guardPrivate` leaves alone. */
  allowHosts: readonly string[]
}
/** `host` is what the URL names (a name or an address), `address` what would be connected to; undefined: go ahead. */
export type AddressGuard = (protocol: string, host: string, address: string) => Refusal | undefined

/** @returns the kind of an address in text; text that is no address is `reserved`, which nobody lets through. */
export function addressKind(address: string): AddressKind {
  const value = parseAddress(address)
  return value === undefined ? 'reserved' : kindOf(value)
}

/** @returns a check of one address, to be asked for literals and for each address that a name resolves to. */
export function createAddressGuard({ guardPrivate, allowHosts }: GuardRules): AddressGuard {
  const exempt = new Set(allowHosts.map(canonicalHost))
  return (protocol, host, address) => {
    const kind = addressKind(address)
    const to = host === address ? address : `${host} (${address})`
    if (protocol !== 'https:' && !httpKinds.has(kind)) {
      return { outcome: 'insecure_url', detail: `http:// to ${to}, which is not a private address: use https://` }
    }
    if (!guardPrivate || kind === 'public' || exempt.has(canonicalHost(host)) || exempt.has(canonicalHost(address))) {
      return undefined
    }
    return {
      outcome: 'refused',
      detail: `${to} is a ${kind.replace('_', '-')} address, which this sandbox may not call`,
    }
  }
}

function kindOf(value: bigint): AddressKind {
  const row = rows.find(({ shift, prefix }) => value >> shift === prefix)
  if (row === undefined) return 'reserved'
  if (typeof row.kind === 'string') return row.kind
  return kindOf(mappedPrefix | ((value >> row.kind.shift) & 0xffffffffn))
}

function canonicalHost(host: string): string {
  const bare = host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  return parseAddress(bare)?.toString(16) ?? bare
}

/** @returns the address as 128 bits, or undefined when the text is not exactly one; a zone id is left out. */
function parseAddress(text: string): bigint | undefined {
  const [bare = ''] = text.replace(/^\[|\]$/g, '').split('%')
  if (!bare.includes(':')) {
    const v4 = parseIpv4(bare)
    return v4 === undefined ? undefined : mappedPrefix | v4
  }
  const [head = '', tail, ...more] = bare.split('::')
  const left = parseGroups(head)
  const right = tail === undefined ? [] : parseGroups(tail)
  if (left === undefined || right === undefined || more.length > 0) return undefined
  const gap = 8 - left.length - right.length
  if (tail === undefined ? gap !== 0 : gap < 1) return undefined
  const groups = [...left, ...Array<bigint>(gap).fill(0n), ...right]
  return groups.reduce((value, group) => (value << 16n) | group, 0n)
}

function parseIpv4(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text)) return undefined
  const bytes = text.split('.').map(BigInt)
  return bytes.some((byte) => byte > 255n) ? undefined : bytes.reduce((value, byte) => (value << 8n) | byte, 0n)
}

/** Groups of an IPv6 address, the last of which may be an IPv4 address. */
function parseGroups(text: string): bigint[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const groups: bigint[] = []
  for (const [index, part] of parts.entries()) {
    const v4 = index === parts.length - 1 ? parseIpv4(part) : undefined
    if (v4 !== undefined) groups.push(v4 >> 16n, v4 & 0xffffn)
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groups
}
