/**
 * Classifies network addresses, and decides which hosts plain `http://` may go to (assumptions.md decision 31). Checked
 * when a URL is set, and again when it is called.
 */
import ipaddr from 'ipaddr.js'

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

/** An IPv4 address begins at this byte of the IPv6 address, and decides its kind. */
type EmbeddedAddress = { readonly from: number }

/** The first matching range of a family wins. */
const ranges = [
  ['169.254.169.254/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['192.0.0.192/32', 'metadata'],
  ['168.63.129.16/32', 'reserved'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link_local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['0.0.0.0/0', 'public'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fd00:ec2::/32', 'metadata'],
  ['::/96', { from: 12 }],
  ['::ffff:0:0:0/96', { from: 12 }],
  ['64:ff9b::/96', { from: 12 }],
  ['2002::/16', { from: 2 }],
  ['64:ff9b:1::/48', 'private'],
  ['fc00::/7', 'private'],
  ['fec0::/10', 'private'],
  ['fe80::/10', 'link_local'],
  ['ff00::/8', 'multicast'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
] as const satisfies readonly (readonly [string, AddressKind | EmbeddedAddress])[]

type Address = ipaddr.IPv4 | ipaddr.IPv6

const rows = ranges.map(([cidr, kind]) => ({ range: ipaddr.parseCIDR(cidr), kind }))

/** Kinds of addresses that plain `http://` may go to. */
const plainKinds: ReadonlySet<AddressKind> = new Set([
  'loopback',
  'private',
  'link_local',
  'shared',
  'metadata',
  'unspecified',
])

/** Names without a public address. The real address is checked when connecting. */
const privateNames = ['localhost', 'local', 'internal', 'test', 'lan', 'home.arpa']

/** @returns the kind of an address; `reserved`, which is always rejected, for text that is not an address. */
export function addressKind(text: string): AddressKind {
  const address = parseAddress(text)
  return address === undefined ? 'reserved' : kindOf(address)
}

export const allowsPlainHttp = (address: string): boolean => plainKinds.has(addressKind(address))

/** Whether a URL's host is private, judged by its text. A name without a dot belongs to a container or a local machine. */
export function isPrivateHost(hostname: string): boolean {
  if (parseAddress(hostname) !== undefined) return allowsPlainHttp(hostname)
  return !hostname.includes('.') || privateNames.some((name) => hostname === name || hostname.endsWith(`.${name}`))
}

/** Normalizes a host: brackets, case, zeros and a trailing dot make no difference. */
export function canonicalHost(host: string): string {
  const bare = host.toLowerCase().replace(/\.$/, '')
  return parseAddress(bare)?.toNormalizedString() ?? bare
}

/**
 * The unit that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, which one subscriber has. Other
 * text is unchanged.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text)
  if (!(address instanceof ipaddr.IPv6)) return address?.toString() ?? text
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

function kindOf(address: Address): AddressKind {
  const row = rows.find(({ range: [prefix, bits] }) => prefix.kind() === address.kind() && address.match(prefix, bits))
  if (row === undefined) return 'reserved'
  if (typeof row.kind === 'string') return row.kind
  const { from } = row.kind
  return kindOf(new ipaddr.IPv4(address.toByteArray().slice(from, from + 4)))
}

/** Undefined if the text is not exactly one address. A zone id is dropped, and IPv4 inside IPv6 becomes IPv4. */
function parseAddress(text: string): Address | undefined {
  const [bare = ''] = text.replace(/^\[|\]$/g, '').split('%')
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare)
  if (!bare.includes(':') || !ipaddr.IPv6.isValid(bare)) return undefined
  const address = ipaddr.IPv6.parse(bare)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}
