/** Makes a picture of a screen three times smaller: 64 colours instead of 16 million. The package holds the pictures of its pages. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const most = 64

/** From a PNG of 8 bits for each of red, green and blue to one with a palette. */
export function withPalette(png) {
  const { width, height, pixels } = decoded(png)
  const counts = new Map()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const boxes = boxesOf(counts)
  const placeOf = new Map(boxes.flatMap((box, place) => box.map((colour) => [colour, place])))
  const rows = Buffer.alloc((width + 1) * height)
  pixels.forEach((pixel, at) => {
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = placeOf.get(pixel)
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const palette = Buffer.from(boxes.flatMap((box) => channels(shownAs(box, counts))))
  const body = deflateSync(rows, { level: 9, memLevel: 9 })
  return Buffer.concat([
    signature,
    ...[chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', body), chunk('IEND', Buffer.alloc(0))],
  ])
}

const channels = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]

/** Splits the widest box, weighed by how much of the picture it is, until there are as many boxes as colours. */
function boxesOf(counts) {
  const boxes = [[...counts.keys()]]
  while (boxes.length < most) {
    const spans = boxes.map((box) => spanOf(box, counts))
    const widest = spans.reduce((best, span, place) => (span.weight > spans[best].weight ? place : best), 0)
    const { axis, middle, weight } = spans[widest]
    if (weight === 0) break
    const isLow = (colour) => channels(colour)[axis] <= middle
    const box = boxes[widest]
    boxes.splice(
      widest,
      1,
      box.filter(isLow),
      box.filter((colour) => !isLow(colour)),
    )
  }
  return boxes
}

function spanOf(box, counts) {
  const all = box.map(channels)
  const spans = [0, 1, 2].map((axis) => {
    const values = all.map((colour) => colour[axis])
    const [low, high] = [Math.min(...values), Math.max(...values)]
    return { axis, middle: (low + high) / 2, width: high - low }
  })
  const span = spans.reduce((best, one) => (one.width > best.width ? one : best))
  const size = box.reduce((sum, colour) => sum + counts.get(colour), 0)
  return { ...span, weight: span.width * Math.log2(1 + size) }
}

/** The colour that most of the box has: areas keep theirs exactly, edges of letters take the nearest. */
const shownAs = (box, counts) => box.reduce((best, colour) => (counts.get(colour) > counts.get(best) ? colour : best))

function decoded(png) {
  const parts = []
  let [width, height] = [0, 0]
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const kind = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + length)
    if (kind === 'IHDR') [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
    if (kind === 'IHDR' && !(data[8] === 8 && data[9] === 2)) throw new Error('not a PNG of 8 bits a colour')
    if (kind === 'IDAT') parts.push(data)
    at += 12 + length
  }
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(parts)), width, height) }
}

/** Each row says how it was filtered: by nothing, left, above, their mean, or Paeth's choice of them. */
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
