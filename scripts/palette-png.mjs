/** Reduces a screenshot to 34 colors, which makes it three times smaller. The published package contains these pictures. */
import { createRequire } from 'node:module'
import { crc32, inflateSync } from 'node:zlib'
import { fetchPackage } from './fetch.mjs'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Colors that are chosen by how visible their differences are. */
const chosen = 44
/** Colors of the picture, one to a byte. */
const most = 34

/** Converts a PNG with 8 bits for each of red, green and blue to a PNG with a palette. */
export async function withPalette(png) {
  const { width, height, pixels } = decoded(png)
  const counts = new Map()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const groups = groupsOf(counts)
  const placeOf = new Map(groups.flatMap(({ colors }, place) => colors.map((color) => [color, place])))
  const stride = width + 1
  const rows = Buffer.alloc(stride * height)
  pixels.forEach((pixel, at) => {
    rows[Math.floor(at / width) * stride + 1 + (at % width)] = placeOf.get(pixel)
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const palette = Buffer.from(groups.flatMap(({ color }) => channels(color)))
  const body = await shortestZlib(rows)
  return Buffer.concat([
    signature,
    ...[chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))],
  ])
}

/** Zopfli takes a minute for what zlib does in a tenth of a second, and saves an eighth. */
async function shortestZlib(bytes) {
  const zopfli = createRequire(import.meta.url)(fetchPackage('@gfx/zopfli', '1.0.15'))
  return Buffer.from(await zopfli.zlibAsync(bytes, { numiterations: 15 }))
}

const channels = (color) => [color >> 16, (color >> 8) & 255, color & 255]

/** Merges the two groups with the least visible difference until `chosen` groups are left, then the rarest with the nearest. */
function groupsOf(counts) {
  const groups = coarse(counts)
  while (groups.length > chosen) {
    let best = { cost: Number.POSITIVE_INFINITY, left: 0, right: 0 }
    for (let left = 0; left < groups.length; left++)
      for (let right = left + 1; right < groups.length; right++) {
        const cost = difference(groups[left], groups[right])
        if (cost < best.cost) best = { cost, left, right }
      }
    groups[best.left] = merged(groups[best.left], groups[best.right])
    groups.splice(best.right, 1)
  }
  while (groups.length > most) {
    const rarest = groups.sort((one, other) => other.size - one.size).pop()
    const costs = groups.map((one) => difference(one, rarest))
    const nearest = costs.indexOf(Math.min(...costs))
    groups[nearest] = merged(groups[nearest], rarest)
  }
  return groups
}

/** Groups colors whose channels have the same upper five bits, so that few enough groups remain to compare all pairs. */
function coarse(counts) {
  const groups = new Map()
  for (const [color, size] of counts) {
    const one = { color, size, colors: [color], perceived: perceived(color) }
    const known = groups.get(color & 0xf8f8f8)
    groups.set(color & 0xf8f8f8, known === undefined ? one : merged(known, one))
  }
  return [...groups.values()]
}

/** The merged group has the color of the larger one: areas stay exact, and the edges of letters change slightly. */
function merged(one, other) {
  const [large, small] = one.size >= other.size ? [one, other] : [other, one]
  return { ...large, size: large.size + small.size, colors: [...large.colors, ...small.colors] }
}

/** Brightness and two color differences: the eye notices a lost hue sooner than a lost shade of gray. */
function perceived(color) {
  const [red, green, blue] = channels(color)
  const light = 0.3 * red + 0.59 * green + 0.11 * blue
  return [light, red - light, blue - light]
}

const hueWeight = 5

function difference(one, other) {
  const [light, red, blue] = one.perceived.map((value, at) => (value - other.perceived[at]) ** 2)
  return (light + hueWeight * (red + blue)) * Math.min(one.size, other.size) ** 0.6
}

function decoded(png) {
  const parts = []
  let [width, height] = [0, 0]
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const kind = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + length)
    if (kind === 'IHDR') [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
    if (kind === 'IHDR' && !(data[8] === 8 && data[9] === 2))
      throw new Error('the picture is not a PNG with 8 bits for each color')
    if (kind === 'IDAT') parts.push(data)
    at += 12 + length
  }
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width, height) }
}

/** Reverses the filter that each row names: none, left, above, mean or Paeth. */
function unfiltered(rows, width, height) {
  const stride = width * 3
  const bytes = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x < 3 ? 0 : bytes[at - 3]
      const above = y === 0 ? 0 : bytes[at - stride]
      const corner = x < 3 || y === 0 ? 0 : bytes[at - stride - 3]
      const guesses = [0, left, above, (left + above) >> 1, paeth(left, above, corner)]
      bytes[at] = rows[at + y + 1] + guesses[rows[y * (stride + 1)]]
    }
  return Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(at * 3, 3))
}

function paeth(left, above, corner) {
  const guess = left + above - corner
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(guess - value))
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

function chunk(kind, data) {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
